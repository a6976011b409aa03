/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Type and value checks of the keys. */
#include <strings.h>

#include "private.h"

static int wrong_type(struct reader *read, struct json_object *value, const char *wanted)
{
	return reader_fail(read, reader_line(value), "must be %s, not %s", wanted,
			   value ? json_type_to_name(json_object_get_type(value)) : "null");
}

/* Fail and quote the value. Not for secrets. */
static int bad_value(struct reader *read, struct json_object *value, const char *why)
{
	_cleanup_(free) char *shown = NULL;
	const char *text = json_object_get_string(value);

	shown = str_escape_control(text, strnlen(text, 64));
	return reader_fail(read, reader_line(value), "\"%s\"%s: %s", shown ? shown : "?",
			   strlen(text) > 64 ? "..." : "", why);
}

static int bad_transport(struct reader *read, struct json_object *value)
{
	char why[192];

	snprintf(why, sizeof(why), "no such transport; known are %s", nvmf_transport_names());
	return bad_value(read, value, why);
}

static int check_length(struct reader *read, struct json_object *value, long most)
{
	if (strlen(json_object_get_string(value)) <= (size_t)most)
		return 0;
	return reader_fail(read, reader_line(value), "is longer than %ld characters", most);
}

/*
 * An NQN according to the specification, in UTF-8, without characters that are special to the
 * kernel's option parser or a terminal.
 */
static int check_nqn(struct reader *read, struct json_object *value)
{
	const char *text = json_object_get_string(value);
	const enum nvmf_option_fault fault =
		option_check_text(&option_rows[OPTION_NQN], NULL, text);

	if (fault == NVMF_FAULT_EMPTY || fault == NVMF_FAULT_LONG)
		return bad_value(read, value, "an NQN has 1 to 223 characters");
	if (fault || strchr(text, ' '))
		return bad_value(read, value,
				 "an NQN cannot contain commas, spaces or control characters");
	return 0;
}

/* Configuration files have always been restricted to ASCII without spaces. */
static bool is_graphic(const char *text)
{
	for (; *text; text++)
		if (*text < 0x21 || *text > 0x7e)
			return false;
	return true;
}

static int check_option(struct reader *read, struct json_object *value,
			const struct option_row *row)
{
	const char *text = json_object_get_string(value);
	const enum nvmf_option_fault fault = option_check_text(row, NULL, text);

	if (fault == NVMF_FAULT_LONG)
		return check_length(read, value, row->most);
	if ((fault && fault != NVMF_FAULT_EMPTY) || !is_graphic(text))
		return reader_fail(
			read, reader_line(value),
			"must not contain commas, spaces or control characters, which would change "
			"the kernel's options");
	return 0;
}

static int check_string(struct reader *read, struct json_object *value, enum config_kind kind,
			const struct option_row *row)
{
	const char *text = json_object_get_string(value);

	switch (kind) {
	case KIND_NQN:
		return check_nqn(read, value);
	case KIND_UUID:
		if (option_check_text(&option_rows[OPTION_HOSTID], NULL, text))
			return bad_value(read, value, "is not a UUID");
		return 0;
	case KIND_TRANSPORT:
		return transport_by_name(text)->name ? 0 : bad_transport(read, value);
	case KIND_OPTION:
	case KIND_ID:
		return check_option(read, value, row);
	case KIND_TEXT:
		return check_length(read, value, row->most);
	default:
		return 0;
	}
}

static enum config_kind kind_of(const struct option_row *row)
{
	if (row == &option_rows[OPTION_TRANSPORT])
		return KIND_TRANSPORT;
	if (row == &option_rows[OPTION_TRSVCID] || row->type == OPTION_TYPE_KEY)
		return KIND_ID;
	return row->rules & NVMF_OPTION_LOCAL ? KIND_TEXT : KIND_OPTION;
}

/* @row: the option row of a port key, or the one that applies to a host key. */
static int read_text(struct reader *read, enum config_kind kind, const struct option_row *row,
		     struct json_object *value, const char **ret)
{
	int err;

	if (!json_object_is_type(value, json_type_string))
		return wrong_type(read, value,
				  kind == KIND_ID ? "a string or a whole number" : "a string");
	err = check_string(read, value, kind, row);
	if (!err)
		*ret = json_object_get_string(value);
	return err;
}

static bool double_is_whole(double value)
{
	return value >= -9e15 && value <= 9e15 && value == (double)(int64_t)value;
}

/* True for 4420 and 4420.0. */
static bool is_whole(struct json_object *value, int64_t *ret)
{
	switch (json_object_get_type(value)) {
	case json_type_int:
		*ret = json_object_get_int64(value);
		return true;
	case json_type_double:
		if (!double_is_whole(json_object_get_double(value)))
			return false;
		*ret = (int64_t)json_object_get_double(value);
		return true;
	default:
		return false;
	}
}

/* Read a string or number as text. json-c's conversion truncates or returns NULL without memory. */
static int read_text_or_number(struct reader *read, const struct option_row *row,
			       struct json_object *value, struct config_port *port)
{
	const size_t at = (size_t)(row - option_rows);
	int64_t number;

	if (kind_of(row) == KIND_TRANSPORT || !is_whole(value, &number))
		return read_text(read, kind_of(row), row, value, &port->values[at].text);
	snprintf(port->numbers[at], CONFIG_NUMBER, "%lld", (long long)number);
	if (strlen(port->numbers[at]) > (size_t)row->most)
		return reader_fail(read, reader_line(value), "is longer than %ld characters",
				   row->most);
	port->values[at].text = port->numbers[at];
	return 0;
}

/* Parse a whole decimal number with optional white space around it. */
static bool text_is_number(const char *text, int64_t *ret)
{
	char *end;
	double real;

	errno = 0;
	*ret = strtoll(text, &end, 10);
	if (errno || end == text)
		return false;
	if (*end == '.') {
		const size_t digits = strspn(end + 1, "0123456789");

		real = reader_double(text);
		end += 1 + digits;
		if (!digits || !double_is_whole(real))
			return false;
	}
	return !end[strspn(end, " \t\r\n")];
}

/* Accept the types that libnvme 1.16 accepts, but do not truncate. */
static bool is_number(struct json_object *value, int64_t *ret)
{
	switch (json_object_get_type(value)) {
	case json_type_boolean:
		*ret = json_object_get_boolean(value);
		return true;
	case json_type_string:
		return text_is_number(json_object_get_string(value), ret);
	default:
		return is_whole(value, ret);
	}
}

static int read_number(struct reader *read, const struct option_row *row, struct json_object *value,
		       int *ret)
{
	int64_t number;

	if (!is_number(value, &number)) {
		if (json_object_is_type(value, json_type_string))
			return bad_value(read, value, "must be a whole number");
		return wrong_type(read, value, "a whole number");
	}
	if (number < INT_MIN || number > INT_MAX || option_check_number(row, (long)number))
		return reader_fail(read, reader_line(value), "must be from %ld to %ld, not %lld",
				   row->least, row->most, (long long)number);
	*ret = (int)number;
	return 0;
}

/* libnvme 1.16 takes every string except "" for true; accept only unambiguous ones. */
static int read_flag_text(struct reader *read, struct json_object *value, bool *ret)
{
	static const char *const no[] = { "", "0", "false", "no", "off", NULL };
	static const char *const yes[] = { "1", "true", "yes", "on", NULL };
	const char *text = json_object_get_string(value);

	for (size_t i = 0; no[i]; i++)
		if (!strcasecmp(no[i], text))
			return 0;
	for (size_t i = 0; yes[i]; i++)
		if (!strcasecmp(yes[i], text)) {
			*ret = true;
			return 0;
		}
	return bad_value(read, value, "must be true or false");
}

static int read_flag(struct reader *read, struct json_object *value, bool *ret)
{
	*ret = false;
	switch (json_object_get_type(value)) {
	case json_type_boolean:
		*ret = json_object_get_boolean(value);
		return 0;
	case json_type_int:
		*ret = json_object_get_int64(value) != 0;
		return 0;
	case json_type_double:
		*ret = json_object_get_double(value) < 0 || json_object_get_double(value) > 0;
		return 0;
	case json_type_string:
		return read_flag_text(read, value, ret);
	default:
		return wrong_type(read, value, "true or false");
	}
}

static int read_array(struct reader *read, struct json_object *value, struct json_object **ret)
{
	if (!json_object_is_type(value, json_type_array))
		return wrong_type(read, value, "an array");
	*ret = value;
	return 0;
}

int config_add_member(struct json_object **to, const char *key, struct json_object *value)
{
	if (!*to)
		*to = json_object_new_object();
	if (!*to)
		return -ENOMEM;
	if (json_object_object_add(*to, key, json_object_get(value)) < 0) {
		json_object_put(value);
		return -ENOMEM;
	}
	return 0;
}

int config_add_members(struct json_object **to, struct json_object *from)
{
	int err = 0;

	if (!from)
		return 0;
	json_object_object_foreach(from, key, value)
		if (!err)
			err = config_add_member(to, key, value);
	return err;
}

void config_host_release_cleanup(struct config_host *host)
{
	json_object_put(host->unknown);
}

void config_subsystem_release_cleanup(struct config_subsystem *subsystem)
{
	json_object_put(subsystem->unknown);
}

void config_port_release_cleanup(struct config_port *port)
{
	json_object_put(port->unknown);
}

/*
 * Keep an unknown key, which may come from a later version. Warn if it resembles a known key or has
 * the wrong level. Fail if it was probably meant to protect connections.
 */
static int keep_unknown_key(struct reader *read, enum config_level level, const char *name,
			    struct json_object *value, struct json_object **unknown)
{
	const struct config_near near = config_near_key(level, name);
	const unsigned int line = reader_line(value);
	int err = 0;

	if (near.exact && near.guards)
		return reader_fail(read, line, "belongs in a %s, not in a %s",
				   config_level_name(near.level), config_level_name(level));
	if (near.name && near.guards)
		return reader_fail(read, line,
				   "no such key; did you mean \"%s\"%s%s? Nothing is connected "
				   "without that protection",
				   near.name, near.level == level ? "" : " in a ",
				   near.level == level ? "" : config_level_name(near.level));
	if (near.exact)
		err = reader_warn(read, line, "ignored: belongs in a %s, not in a %s",
				  config_level_name(near.level), config_level_name(level));
	else if (near.name)
		err = reader_warn(read, line, "no such key, ignored; did you mean \"%s\"%s%s?",
				  near.name, near.level == level ? "" : " in a ",
				  near.level == level ? "" : config_level_name(near.level));
	return err ?: config_add_member(unknown, name, value);
}

static int read_host_key(struct reader *read, const struct config_key *key,
			 struct json_object *value, struct config_host *host)
{
	char *at = (char *)host + key->offset;

	switch (key->kind) {
	case KIND_FLAG:
		host->has_pdc = true;
		return read_flag(read, value, &host->pdc);
	case KIND_ARRAY:
		return read_array(read, value, (struct json_object **)(void *)at);
	case KIND_MPTCP:
		host->mptcp = value;
		return 0;
	default:
		return read_text(read, key->kind, &option_rows[OPTION_DHCHAP_SECRET], value,
				 (const char **)(void *)at);
	}
}

static int read_subsystem_key(struct reader *read, const struct config_key *key,
			      struct json_object *value, struct config_subsystem *subsystem)
{
	char *at = (char *)subsystem + key->offset;

	if (key->kind == KIND_ARRAY)
		return read_array(read, value, (struct json_object **)(void *)at);
	return read_text(read, key->kind, &option_rows[OPTION_NQN], value,
			 (const char **)(void *)at);
}

static int read_port_key(struct reader *read, const char *name, struct json_object *value,
			 struct config_port *port)
{
	const struct option_row *row = option_by_json(name);
	bool flag = false;
	int err;

	if (!row)
		return keep_unknown_key(read, LEVEL_PORT, name, value, &port->unknown);
	/* null means not set. */
	if (!value)
		return 0;
	switch (row->type) {
	case OPTION_TYPE_NUMBER:
		err = read_number(read, row, value, &port->values[row - option_rows].number);
		break;
	case OPTION_TYPE_FLAG:
	case OPTION_TYPE_MARK:
		err = read_flag(read, value, &flag);
		port->values[row - option_rows].number = flag;
		break;
	default:
		err = read_text_or_number(read, row, value, port);
		break;
	}
	port->values[row - option_rows].given = true;
	return err;
}

static int read_key(struct reader *read, const char *name, struct json_object *value,
		    struct config_host *host, struct config_subsystem *subsystem)
{
	const enum config_level level = host ? LEVEL_HOST : LEVEL_SUBSYSTEM;
	const struct config_key *key = config_find_key(level, name);

	if (!key)
		return keep_unknown_key(read, level, name, value,
					host ? &host->unknown : &subsystem->unknown);
	if (!value)
		return 0;
	return host ? read_host_key(read, key, value, host)
		    : read_subsystem_key(read, key, value, subsystem);
}

/* Read the members of @json into @host, @subsystem or @port; the other two are NULL. */
static int read_members(struct reader *read, struct json_object *json, struct config_host *host,
			struct config_subsystem *subsystem, struct config_port *port)
{
	if (!json_object_is_type(json, json_type_object))
		return wrong_type(read, json, "an object");
	if (reader_check_repeat(read, json))
		return -EPROTO;
	read->line = reader_line(json);
	json_object_object_foreach(json, name, value) {
		int err;

		reader_enter_key(read, name, strlen(name));
		if (port)
			err = read_port_key(read, name, value, port);
		else
			err = read_key(read, name, value, host, subsystem);
		reader_leave(read);
		if (err)
			return err;
	}
	return 0;
}

static int missing(struct reader *read, struct json_object *json, const char *key)
{
	return reader_fail(read, reader_line(json), "\"%s\" is missing", key);
}

int config_read_host(struct reader *read, struct json_object *json, struct config_host *ret)
{
	int err;

	*ret = (struct config_host){ 0 };
	err = read_members(read, json, ret, NULL, NULL);
	return err || ret->hostnqn ? err : missing(read, json, "hostnqn");
}

int config_read_subsystem(struct reader *read, struct json_object *json,
			  struct config_subsystem *ret)
{
	int err;

	*ret = (struct config_subsystem){ 0 };
	err = read_members(read, json, NULL, ret, NULL);
	return err || ret->nqn ? err : missing(read, json, "nqn");
}

int config_read_port(struct reader *read, struct json_object *json, struct config_port *ret)
{
	const char *transport;
	int err;

	*ret = (struct config_port){ 0 };
	err = read_members(read, json, NULL, NULL, ret);
	if (err)
		return err;
	transport = ret->values[OPTION_TRANSPORT].text;
	if (!transport)
		return missing(read, json, "transport");
	if (!ret->values[OPTION_TRADDR].text &&
	    transport_has(transport_by_name(transport), NVMF_TRANSPORT_TRADDR))
		return missing(read, json, "traddr");
	if (ret->values[OPTION_TLS].number && ret->values[OPTION_CONCAT].number)
		return reader_fail(read, reader_line(json),
				   "\"tls\" and \"concat\" exclude each other");
	return 0;
}
