// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads and writes the state file of keep. */
#include "keep-state.h"
#include "mptcp/snapshot/record.h"
#include "shared/file.h"

/* Maximum number of endpoints, more than any kernel's table holds. */
#define MAX_ENDPOINTS 256
/* Maximum time in ms, low enough for additions. */
#define MAX_MS (INT64_MAX / 4)

static int parse_number(const char *word, int64_t min, int64_t max, int64_t *ret)
{
	long long value;
	char *end;

	if (!word || (*word != '-' && (*word < '0' || *word > '9')))
		return -EBADMSG;
	errno = 0;
	value = strtoll(word, &end, 10);
	if (errno || *end || value < min || value > max)
		return -EBADMSG;
	*ret = value;
	return 0;
}

static int parse_member(char **rest, const char *key, int64_t max, int64_t *ret)
{
	const char *word = strtok_r(NULL, " ", rest);

	if (!word || strcmp(word, key) != 0)
		return -EBADMSG;
	return parse_number(strtok_r(NULL, " ", rest), 0, max, ret);
}

static int parse_device(char **rest, struct endpoint_spec *spec)
{
	const char *key = strtok_r(NULL, " ", rest), *word = strtok_r(NULL, " ", rest);

	if (!key || strcmp(key, "dev") != 0 || !word || strlen(word) >= sizeof(spec->device))
		return -EBADMSG;
	if (strcmp(word, "-") != 0)
		str_copy(spec->device, sizeof(spec->device), word, strlen(word));
	return 0;
}

/* "flags 2 ifindex 4 dev eth2" */
static int parse_kind(char **rest, struct endpoint_spec *spec)
{
	int64_t flags = 0, ifindex = 0;
	int err = parse_member(rest, "flags", UINT32_MAX, &flags);

	if (!err)
		err = parse_member(rest, "ifindex", INT_MAX, &ifindex);
	if (!err)
		err = parse_device(rest, spec);
	spec->flags = flags;
	spec->ifindex = (int)ifindex;
	return err;
}

/* Parse what the first version did not write: "id 3 was flags 2 ifindex 4 dev eth2 id 2". */
static int parse_rest(char **rest, struct keep_endpoint *kept)
{
	struct endpoint_spec *spec = &kept->spec;
	const char *word;

	while ((word = strtok_r(NULL, " ", rest))) {
		int64_t id;

		if (!strcmp(word, "id")) {
			if (spec->id || parse_number(strtok_r(NULL, " ", rest), 1, UINT8_MAX, &id))
				return -EBADMSG;
			spec->id = (uint8_t)id;
			continue;
		}
		if (strcmp(word, "was") != 0 || kept->is_changing)
			return -EBADMSG;
		kept->is_changing = true;
		kept->was.ip = kept->spec.ip;
		kept->was.port = kept->spec.port;
		spec = &kept->was;
		if (parse_kind(rest, spec))
			return -EBADMSG;
	}
	return 0;
}

/* "10.1.2.2 port 0 flags 2 ifindex 4 dev eth2" */
static int parse_place(char **rest, struct endpoint_spec *spec)
{
	const char *word = strtok_r(NULL, " ", rest);
	int64_t port = 0;
	struct ip_addr ip;
	int err = word ? address_parse(word, &ip) : -EBADMSG;

	if (err || ip.scope)
		return -EBADMSG;
	err = parse_member(rest, "port", UINT16_MAX, &port);
	if (!err)
		err = parse_kind(rest, spec);
	spec->ip = ip.in6;
	spec->port = (uint16_t)port;
	return err;
}

static int take_endpoint(struct keep_own *own, char **rest)
{
	struct endpoint_spec spec = {};
	int err = parse_place(rest, &spec);
	const char *word = strtok_r(NULL, " ", rest);
	struct keep_endpoint *kept;

	if (err || !word ||
	    (strcmp(word, "made") != 0 && strcmp(word, "adopted") != 0 &&
	     strcmp(word, "lent") != 0))
		return -EBADMSG;
	if (own->n_endpoints == MAX_ENDPOINTS || keep_own_find(own, &spec.ip, spec.port))
		return -EBADMSG;
	kept = keep_own_add(own, &spec, !strcmp(word, "adopted"));
	if (!kept)
		return -ENOMEM;
	kept->lent = !strcmp(word, "lent");
	return parse_rest(rest, kept);
}

static int take_value(struct keep_own *own, char **rest)
{
	const char *word = strtok_r(NULL, " ", rest);
	struct keep_value value = { .is_set = true };

	for (int i = 0; word && i < KEEP_VALUES; i++) {
		if (strcmp(word, keep_value_names[i]) != 0)
			continue;
		if (own->values[i].is_set ||
		    parse_number(strtok_r(NULL, " ", rest), 0, UINT32_MAX, &value.before) ||
		    parse_number(strtok_r(NULL, " ", rest), 0, UINT32_MAX, &value.now) ||
		    strtok_r(NULL, " ", rest))
			return -EBADMSG;
		own->values[i] = value;
		return 0;
	}
	return -EBADMSG;
}

/* Parse "since 81234", which the first version did not write: 0 without it. */
static int parse_since(char **rest, int64_t *ret)
{
	const char *word = strtok_r(NULL, " ", rest);

	*ret = 0;
	if (!word)
		return 0;
	if (strcmp(word, "since") != 0 || parse_number(strtok_r(NULL, " ", rest), 1, MAX_MS, ret) ||
	    strtok_r(NULL, " ", rest))
		return -EBADMSG;
	return 0;
}

static const char *out_word(const struct keep_outage *out)
{
	if (out->how == KEEP_OUTAGE_OVER)
		return "left";
	if (out->how == KEEP_OUTAGE_BACKUP)
		return out->is_slow ? "slow" : "backup";
	return out->lent ? "lent" : "deleted";
}

static int take_out(struct keep_own *own, char **rest)
{
	static const struct keep_outage kinds[] = { { .how = KEEP_OUTAGE_DELETED },
						    { .how = KEEP_OUTAGE_BACKUP },
						    { .how = KEEP_OUTAGE_OVER, .is_left = true },
						    { .how = KEEP_OUTAGE_BACKUP, .is_slow = true },
						    { .how = KEEP_OUTAGE_DELETED, .lent = true } };
	const size_t n = sizeof(kinds) / sizeof(*kinds);
	struct endpoint_spec spec = {};
	int64_t id = 0, since = 0;
	int err = parse_place(rest, &spec);
	const char *word = strtok_r(NULL, " ", rest);
	struct keep_outage *out;
	size_t i = 0;

	while (!err && word && i < n && strcmp(word, out_word(&kinds[i])) != 0)
		i++;
	if (err || !word || i == n || own->n_outs == MAX_ENDPOINTS ||
	    keep_outage_find(own, &spec) || parse_member(rest, "id", UINT8_MAX, &id) ||
	    parse_since(rest, &since))
		return -EBADMSG;
	spec.id = (uint8_t)id;
	out = keep_outage_begin(own, &spec, kinds[i].how, since);
	if (!out)
		return -ENOMEM;
	out->lent = kinds[i].lent;
	out->is_left = kinds[i].is_left;
	out->is_slow = kinds[i].is_slow;
	/* If the link works at the next check, do not wait any longer. */
	out->stable_since = INT64_MIN / 2;
	return 0;
}

static int take_line(struct keep_own *own, char *line)
{
	char *rest = NULL;
	const char *key = strtok_r(line, " ", &rest);

	if (key && !strcmp(key, "endpoint"))
		return take_endpoint(own, &rest);
	if (key && !strcmp(key, "value"))
		return take_value(own, &rest);
	if (key && !strcmp(key, "out"))
		return take_out(own, &rest);
	return -EBADMSG;
}

int keep_state_parse(const char *text, struct keep_own *ret)
{
	_cleanup_(free) char *copy = strdup(text);
	struct keep_own own = {};
	char *rest = NULL;
	int err = copy ? 0 : -ENOMEM;

	if (copy)
		for (char *line = strtok_r(copy, "\n", &rest); line && !err;
		     line = strtok_r(NULL, "\n", &rest))
			err = take_line(&own, line);
	if (err)
		keep_own_clear(&own);
	else
		*ret = own;
	return err;
}

int keep_state_read(const char *path, struct keep_own *ret)
{
	_cleanup_(free) char *text = NULL;
	int err = record_load(path, KEEP_STATE_MAX, &text);

	return err ? err : keep_state_parse(text, ret);
}

static void print_kind(FILE *out, const struct endpoint_spec *spec)
{
	fprintf(out, " flags %" PRId64 " ifindex %d dev %s", spec->flags, spec->ifindex,
		*spec->device ? spec->device : "-");
}

static void print_id(FILE *out, const struct endpoint_spec *spec)
{
	if (spec->id)
		fprintf(out, " id %u", spec->id);
}

static void print_place(FILE *out, const char *what, const struct endpoint_spec *spec)
{
	fprintf(out, "%s %s port %u", what, ADDRESS_STRING(&spec->ip), spec->port);
	print_kind(out, spec);
}

static void print_endpoint(FILE *out, const struct keep_endpoint *kept)
{
	print_place(out, "endpoint", &kept->spec);
	fputs(kept->adopted ? " adopted" : kept->lent ? " lent" : " made", out);
	print_id(out, &kept->spec);
	if (kept->is_changing) {
		fputs(" was", out);
		print_kind(out, &kept->was);
		print_id(out, &kept->was);
	}
	fputc('\n', out);
}

static void print(FILE *out, const struct keep_own *own)
{
	for (size_t i = 0; i < own->n_endpoints; i++)
		if (!own->endpoints[i].claim.contested)
			print_endpoint(out, &own->endpoints[i]);
	for (int i = 0; i < KEEP_VALUES; i++)
		if (own->values[i].is_set && !own->values[i].claim.contested)
			fprintf(out, "value %s %" PRId64 " %" PRId64 "\n", keep_value_names[i],
				own->values[i].before, own->values[i].now);
	for (size_t i = 0; i < own->n_outs; i++) {
		if (own->outs[i].how == KEEP_OUTAGE_OVER && !own->outs[i].is_left)
			continue;
		print_place(out, "out", &own->outs[i].spec);
		fprintf(out, " %s id %u", out_word(&own->outs[i]), own->outs[i].spec.id);
		if (own->outs[i].since > 0)
			fprintf(out, " since %" PRId64, own->outs[i].since);
		fputc('\n', out);
	}
}

int keep_state_print(const struct keep_own *own, struct text *ret)
{
	if (text_open(ret))
		print(ret->stream, own);
	return text_close(ret) ? -ENOMEM : 0;
}

int keep_state_write(const char *path, const struct keep_own *own)
{
	_cleanup_(text_wipe) struct text text = { 0 };
	int err = keep_state_print(own, &text);

	if (err)
		return err;
	if (!text.length)
		return unlink(path) && errno != ENOENT ? -errno : 0;
	return file_save(path, text.bytes, text.length, FILE_REGULAR);
}
