/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What keys there are, what they hold, and where they belong. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "../util.h"
#include "private.h"

enum level {
	LEVEL_HOST = 1 << 0,
	LEVEL_SUBSYSTEM = 1 << 1,
	LEVEL_PORT = 1 << 2,
};

enum kind {
	KIND_STRING, /* any text */
	KIND_OPTION, /* text that becomes a value of the kernel's option line: no comma */
	KIND_NQN,
	KIND_UUID,
	KIND_TRANSPORT,
	KIND_ID, /* KIND_OPTION, or a whole number */
	KIND_NUMBER,
	KIND_FLAG,
	KIND_ARRAY,
	KIND_MPTCP,
};

struct key {
	const char *name;
	enum kind kind;
	size_t offset; /* in struct config_host, config_subsystem or config_port */
	long min, max;
};

#define HOST(name, kind) \
	{ \
#name, kind, offsetof(struct config_host, name), 0, 0 \
	}
#define SUBSYSTEM(name, kind) \
	{ \
#name, kind, offsetof(struct config_subsystem, name), 0, 0 \
	}
#define PORT(name, kind) \
	{ \
#name, kind, offsetof(struct config_port, name), 0, 0 \
	}
#define NUMBER(name, index, min, max) \
	{ \
		name, KIND_NUMBER, index, min, max \
	}
#define FLAG(name, index) \
	{ \
		name, KIND_FLAG, index, 0, 0 \
	}

static const struct key host_keys[] = {
	HOST(hostnqn, KIND_NQN),
	HOST(hostid, KIND_UUID),
	HOST(dhchap_key, KIND_OPTION),
	HOST(hostsymname, KIND_STRING),
	{ "persistent_discovery_ctrl", KIND_FLAG, 0, 0, 0 },
	HOST(subsystems, KIND_ARRAY),
	HOST(mptcp, KIND_MPTCP),
};

static const struct key subsystem_keys[] = {
	SUBSYSTEM(nqn, KIND_NQN),
	SUBSYSTEM(application, KIND_STRING),
	SUBSYSTEM(ports, KIND_ARRAY),
};

static const struct key port_keys[] = {
	PORT(transport, KIND_TRANSPORT),
	PORT(traddr, KIND_OPTION),
	PORT(host_traddr, KIND_OPTION),
	PORT(host_iface, KIND_OPTION),
	PORT(trsvcid, KIND_ID),
	PORT(dhchap_key, KIND_OPTION),
	PORT(dhchap_ctrl_key, KIND_OPTION),
	PORT(keyring, KIND_ID),
	PORT(tls_key_identity, KIND_STRING),
	PORT(tls_key, KIND_ID),
	NUMBER("nr_io_queues", NUMBER_NR_IO_QUEUES, 0, INT_MAX),
	NUMBER("nr_write_queues", NUMBER_NR_WRITE_QUEUES, 0, INT_MAX),
	NUMBER("nr_poll_queues", NUMBER_NR_POLL_QUEUES, 0, INT_MAX),
	NUMBER("queue_size", NUMBER_QUEUE_SIZE, 0, INT_MAX),
	NUMBER("keep_alive_tmo", NUMBER_KEEP_ALIVE_TMO, 0, INT_MAX),
	NUMBER("reconnect_delay", NUMBER_RECONNECT_DELAY, 0, INT_MAX),
	NUMBER("ctrl_loss_tmo", NUMBER_CTRL_LOSS_TMO, -1, INT_MAX),
	NUMBER("fast_io_fail_tmo", NUMBER_FAST_IO_FAIL_TMO, -1, INT_MAX),
	NUMBER("tos", NUMBER_TOS, -1, 255),
	FLAG("duplicate_connect", FLAG_DUPLICATE_CONNECT),
	FLAG("disable_sqflow", FLAG_DISABLE_SQFLOW),
	FLAG("hdr_digest", FLAG_HDR_DIGEST),
	FLAG("data_digest", FLAG_DATA_DIGEST),
	FLAG("tls", FLAG_TLS),
	FLAG("concat", FLAG_CONCAT),
	FLAG("persistent", FLAG_PERSISTENT),
	FLAG("discovery", FLAG_DISCOVERY),
};

struct key_table {
	const char *what;
	const struct key *keys;
	size_t n;
};

#define TABLE(what, keys) \
	{ \
		what, keys, sizeof(keys) / sizeof(keys[0]) \
	}

static const struct key_table host_table = TABLE("host", host_keys);
static const struct key_table subsystem_table = TABLE("subsystem", subsystem_keys);
static const struct key_table port_table = TABLE("port", port_keys);

static const struct key *find_key(const struct key_table *table, const char *name)
{
	for (size_t i = 0; i < table->n; i++)
		if (!strcmp(table->keys[i].name, name))
			return &table->keys[i];
	return NULL;
}

static const char *name_at(enum kind kind, size_t offset)
{
	for (size_t i = 0; i < port_table.n; i++)
		if (port_keys[i].kind == kind && port_keys[i].offset == offset)
			return port_keys[i].name;
	return NULL;
}

const char *config_number_name(enum config_number number)
{
	return name_at(KIND_NUMBER, number);
}

const char *config_flag_name(enum config_flag flag)
{
	return name_at(KIND_FLAG, flag);
}

int *config_number_field(struct nvme_ctrl *c, enum config_number number)
{
	int *const fields[N_NUMBERS] = {
		[NUMBER_NR_IO_QUEUES] = &c->cfg.nr_io_queues,
		[NUMBER_NR_WRITE_QUEUES] = &c->cfg.nr_write_queues,
		[NUMBER_NR_POLL_QUEUES] = &c->cfg.nr_poll_queues,
		[NUMBER_QUEUE_SIZE] = &c->cfg.queue_size,
		[NUMBER_KEEP_ALIVE_TMO] = &c->cfg.keep_alive_tmo,
		[NUMBER_RECONNECT_DELAY] = &c->cfg.reconnect_delay,
		[NUMBER_CTRL_LOSS_TMO] = &c->cfg.ctrl_loss_tmo,
		[NUMBER_FAST_IO_FAIL_TMO] = &c->cfg.fast_io_fail_tmo,
		[NUMBER_TOS] = &c->cfg.tos,
	};

	return fields[number];
}

bool *config_flag_field(struct nvme_ctrl *c, enum config_flag flag)
{
	bool *const fields[N_FLAGS] = {
		[FLAG_DUPLICATE_CONNECT] = &c->cfg.duplicate_connect,
		[FLAG_DISABLE_SQFLOW] = &c->cfg.disable_sqflow,
		[FLAG_HDR_DIGEST] = &c->cfg.hdr_digest,
		[FLAG_DATA_DIGEST] = &c->cfg.data_digest,
		[FLAG_TLS] = &c->cfg.tls,
		[FLAG_CONCAT] = &c->cfg.concat,
		[FLAG_PERSISTENT] = &c->persistent,
		[FLAG_DISCOVERY] = &c->discovery_ctrl,
	};

	return fields[flag];
}

static int wrong_type(struct config_read *read, struct json_object *value, const char *wanted)
{
	return config_fail(read, json_line(value), "must be %s, not %s", wanted,
			   value ? json_type_to_name(json_object_get_type(value)) : "null");
}

/* Values go into messages, unless they may be secrets. */
static int bad_value(struct config_read *read, struct json_object *value, const char *why)
{
	_cleanup_(free) char *shown = NULL;
	const char *text = json_object_get_string(value);

	shown = str_escape_control(text, strnlen(text, 64));
	return config_fail(read, json_line(value), "\"%s\"%s: %s", shown ? shown : "?",
			   strlen(text) > 64 ? "..." : "", why);
}

static int bad_transport(struct config_read *read, struct json_object *value)
{
	char why[192];

	snprintf(why, sizeof(why), "no such transport; known are %s", nvmf_transport_names());
	return bad_value(read, value, why);
}

static int check_option(struct config_read *read, struct json_object *value)
{
	const char *text = json_object_get_string(value);

	for (const char *p = text; *p; p++)
		if (*p == ',' || (unsigned char)*p < 0x21 || (unsigned char)*p > 0x7e)
			return config_fail(read, json_line(value),
					   "must not hold commas, spaces or control characters, "
					   "which would change the options of the kernel");
	if (strlen(text) >= NVMF_TRADDR_SIZE)
		return config_fail(read, json_line(value), "is longer than %d characters",
				   NVMF_TRADDR_SIZE - 1);
	return 0;
}

static int check_string(struct config_read *read, struct json_object *value, enum kind kind)
{
	const char *text = json_object_get_string(value);
	unsigned char uuid[NVME_UUID_LEN];

	switch (kind) {
	case KIND_NQN:
		if (!*text || strlen(text) > NVMF_NQN_SIZE)
			return bad_value(read, value, "an NQN has 1 to 223 characters");
		return check_option(read, value);
	case KIND_UUID:
		if (strlen(text) != NVME_UUID_LEN_STRING - 1 || nvme_uuid_from_string(text, uuid))
			return bad_value(read, value, "is not a UUID");
		return 0;
	case KIND_TRANSPORT:
		return transport_by_name(text)->name ? 0 : bad_transport(read, value);
	case KIND_OPTION:
	case KIND_ID:
		return check_option(read, value);
	default:
		return 0;
	}
}

static int read_text(struct config_read *read, const struct key *key, struct json_object *value,
		     const char **ret)
{
	int err;

	if (!json_object_is_type(value, json_type_string) &&
	    !(key->kind == KIND_ID && json_object_is_type(value, json_type_int)))
		return wrong_type(read, value,
				  key->kind == KIND_ID ? "a string or a whole number" : "a string");
	err = check_string(read, value, key->kind);
	if (!err)
		*ret = json_object_get_string(value);
	return err;
}

static int read_number(struct config_read *read, const struct key *key, struct json_object *value,
		       int *ret)
{
	int64_t number;

	if (!json_object_is_type(value, json_type_int))
		return wrong_type(read, value, "a whole number");
	number = json_object_get_int64(value);
	if (number < key->min || number > key->max)
		return config_fail(read, json_line(value), "must be from %ld to %ld, not %lld",
				   key->min, key->max, (long long)number);
	*ret = (int)number;
	return 0;
}

static int read_flag(struct config_read *read, struct json_object *value, bool *ret)
{
	if (!json_object_is_type(value, json_type_boolean))
		return wrong_type(read, value, "true or false");
	*ret = json_object_get_boolean(value);
	return 0;
}

static int read_array(struct config_read *read, struct json_object *value, struct json_object **ret)
{
	if (!json_object_is_type(value, json_type_array))
		return wrong_type(read, value, "an array");
	*ret = value;
	return 0;
}

/* A key that nobody knows may be of a later version; one that belongs elsewhere is a mistake. */
static int check_stray(struct config_read *read, const struct key_table *table, const char *name,
		       struct json_object *value)
{
	static const struct key_table *const tables[] = { &host_table, &subsystem_table,
							  &port_table };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (find_key(tables[i], name))
			return config_fail(read, json_line(value), "belongs in a %s, not in a %s",
					   tables[i]->what, table->what);
	return 0;
}

static int read_host_key(struct config_read *read, const struct key *key, struct json_object *value,
			 struct config_host *host)
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
		return config_check_mptcp(read, value);
	default:
		return read_text(read, key, value, (const char **)(void *)at);
	}
}

static int read_subsystem_key(struct config_read *read, const struct key *key,
			      struct json_object *value, struct config_subsystem *subsystem)
{
	char *at = (char *)subsystem + key->offset;

	if (key->kind == KIND_ARRAY)
		return read_array(read, value, (struct json_object **)(void *)at);
	return read_text(read, key, value, (const char **)(void *)at);
}

static int read_port_key(struct config_read *read, const struct key *key, struct json_object *value,
			 struct config_port *port)
{
	char *at = (char *)port + key->offset;

	switch (key->kind) {
	case KIND_NUMBER:
		port->has_number[key->offset] = true;
		return read_number(read, key, value, &port->numbers[key->offset]);
	case KIND_FLAG:
		port->has_flag[key->offset] = true;
		return read_flag(read, value, &port->flags[key->offset]);
	default:
		return read_text(read, key, value, (const char **)(void *)at);
	}
}

/* Goes through the members of @json; one of the three targets is not NULL. */
static int read_members(struct config_read *read, const struct key_table *table,
			struct json_object *json, struct config_host *host,
			struct config_subsystem *subsystem, struct config_port *port)
{
	if (!json_object_is_type(json, json_type_object))
		return wrong_type(read, json, "an object");
	read->line = json_line(json);
	json_object_object_foreach(json, name, value) {
		const struct key *key = find_key(table, name);
		int err;

		path_push_key(&read->path, name, strlen(name));
		if (!key)
			err = check_stray(read, table, name, value);
		else if (host)
			err = read_host_key(read, key, value, host);
		else if (subsystem)
			err = read_subsystem_key(read, key, value, subsystem);
		else
			err = read_port_key(read, key, value, port);
		path_pop(&read->path);
		if (err)
			return err;
	}
	return 0;
}

static int missing(struct config_read *read, struct json_object *json, const char *key)
{
	return config_fail(read, json_line(json), "\"%s\" is missing", key);
}

int config_read_host(struct config_read *read, struct json_object *json, struct config_host *ret)
{
	int err;

	*ret = (struct config_host){ 0 };
	err = read_members(read, &host_table, json, ret, NULL, NULL);
	return err || ret->hostnqn ? err : missing(read, json, "hostnqn");
}

int config_read_subsystem(struct config_read *read, struct json_object *json,
			  struct config_subsystem *ret)
{
	int err;

	*ret = (struct config_subsystem){ 0 };
	err = read_members(read, &subsystem_table, json, NULL, ret, NULL);
	return err || ret->nqn ? err : missing(read, json, "nqn");
}

int config_read_port(struct config_read *read, struct json_object *json, struct config_port *ret)
{
	int err;

	*ret = (struct config_port){ 0 };
	err = read_members(read, &port_table, json, NULL, NULL, ret);
	if (err)
		return err;
	if (!ret->transport)
		return missing(read, json, "transport");
	if (!ret->traddr && transport_has(transport_by_name(ret->transport), NVMF_TRANSPORT_TRADDR))
		return missing(read, json, "traddr");
	if (ret->flags[FLAG_TLS] && ret->flags[FLAG_CONCAT])
		return config_fail(read, json_line(json),
				   "\"tls\" and \"concat\" exclude "
				   "each other");
	return 0;
}
