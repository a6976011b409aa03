// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Adds to the object "relay" of a configuration. Every other byte of the file stays as it is: its layout,
 * its secrets, and keys that are not known here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/versioned.h"
#include "config.h"
#include "mptcp/plan/configured.h"
#include "mptcp/plan/steps.h"
#include "shared/text.h"
#include "steering.h"

DEFINE_CLEANUP(nvme_mptcp_config_t, nvme_mptcp_config_free);
DEFINE_CLEANUP(nvme_mptcp_relay_t, nvme_mptcp_relay_free);

#define OBJECT "relay"
/* A portal, a port or the name of a link, in quotes. */
#define VALUE_TEXT (ADDRESS_TEXT + 2)

/* What a list of the object is to have as well, as JSON. */
struct addition {
	const char *key;
	char value[VALUE_TEXT];
};

struct editing {
	const char *file, *hostnqn;
	char *before, *after; /* contents; before NULL: the file is not there */
	nvme_mptcp_config_t config; /* as it was before */
	struct addition *additions; /* those to one list stand together */
	size_t n_additions;
	bool is_auto; /* portals are those that the configuration names elsewhere */
};

static void wipe_text(char **text)
{
	if (*text)
		explicit_bzero(*text, strlen(*text));
	free(*text);
	*text = NULL;
}

static void editing_cleanup(struct editing *e)
{
	wipe_text(&e->before);
	wipe_text(&e->after);
	free(e->additions);
	nvme_mptcp_config_free(e->config);
}

/* The text has been read as JSON: from here on, each value ends. */
static const char *skip_blank(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

static const char *skip_quoted(const char *at)
{
	for (at++; *at != '"'; at++)
		if (*at == '\\')
			at++;
	return at + 1;
}

static const char *skip_json(const char *at)
{
	int depth = 0;

	if (*at == '"')
		return skip_quoted(at);
	if (*at != '{' && *at != '[')
		return at + strcspn(at, ",]} \t\r\n");
	do {
		depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
		at = *at == '"' ? skip_quoted(at) : at + 1;
	} while (depth);
	return at;
}

/* The next value of a container, behind its bracket or a value; NULL at its end. */
static const char *next_json(const char *at, const char **key)
{
	at = skip_blank(at);
	if (*at == ',')
		at = skip_blank(at + 1);
	if (*at == ']' || *at == '}')
		return NULL;
	if (!key)
		return at;
	*key = at;
	return skip_blank(skip_blank(skip_quoted(at)) + 1);
}

static bool is_quoted(const char *at, const char *text)
{
	const size_t length = strlen(text);

	return *at == '"' && !strncmp(at + 1, text, length) && at[length + 1] == '"';
}

static const char *find_member_text(const char *object, const char *name)
{
	const char *key;

	if (!object || *object != '{')
		return NULL;
	for (const char *at = object + 1; (at = next_json(at, &key)); at = skip_json(at))
		if (is_quoted(key, name))
			return at;
	return NULL;
}

/* The array of hosts may be the whole document or its "hosts". */
static const char *find_hosts_text(const char *text)
{
	const char *hosts = skip_blank(text);

	if (*hosts == '{')
		hosts = find_member_text(hosts, "hosts");
	return hosts && *hosts == '[' ? hosts : NULL;
}

static const char *find_relay_text(const char *hosts)
{
	const char *found = NULL;

	for (const char *at = hosts + 1; !found && (at = next_json(at, NULL)); at = skip_json(at))
		found = find_member_text(find_member_text(at, CONFIG_OBJECT), OBJECT);
	return found;
}

static const char *find_host_text(const char *hosts, const char *hostnqn)
{
	for (const char *at = hosts + 1; (at = next_json(at, NULL)); at = skip_json(at)) {
		const char *nqn = find_member_text(at, "hostnqn");

		if (nqn && is_quoted(nqn, hostnqn))
			return at;
	}
	return NULL;
}

/* Puts @json at the end of the container at @at, which is a place in e->after. */
static int put_last(struct editing *e, const char *at, const char *json)
{
	const char *end = skip_json(at) - 1;
	const size_t size = strlen(e->after) + strlen(json) + 3;
	char *longer;

	while (strchr(" \t\r\n", end[-1]))
		end--;
	/* Not asprintf(), which leaves pieces of the text behind. */
	longer = malloc(size);
	if (!longer)
		return -ENOMEM;
	snprintf(longer, size, "%.*s%s%s%s", (int)(end - e->after), e->after,
		 end - 1 == at ? "" : ", ", json, end);
	wipe_text(&e->after);
	e->after = longer;
	return 0;
}

static int put_relay_object(struct editing *e)
{
	const char *hosts = find_hosts_text(e->after), *host, *mptcp;
	_cleanup_(free) char *json = NULL;

	if (!hosts)
		return failure_note(-EPROTO, "%s: there is no array of hosts", e->file);
	if (find_relay_text(hosts))
		return 0;
	if (!e->hostnqn)
		return failure_note(-ENODATA,
				    "%s: the object of this host is missing, and so is its NQN "
				    "(" NVME_COMMAND " gen-hostnqn >" SYSCONFDIR
				    "/nvme/hostnqn makes one)",
				    e->file);
	host = find_host_text(hosts, e->hostnqn);
	mptcp = find_member_text(host, CONFIG_OBJECT);
	if (mptcp)
		return put_last(e, mptcp, "\"" OBJECT "\": {}");
	if (host)
		return put_last(e, host, "\"" CONFIG_OBJECT "\": {\"" OBJECT "\": {}}");
	if (asprintf(&json, "{\"hostnqn\": \"%s\", \"" CONFIG_OBJECT "\": {\"" OBJECT "\": {}}}",
		     e->hostnqn) < 0) {
		json = NULL;
		return -ENOMEM;
	}
	return put_last(e, hosts, json);
}

static int put_entry(struct editing *e, const struct addition *a)
{
	const char *relay = find_relay_text(find_hosts_text(e->after)),
		   *list = find_member_text(relay, a->key);
	char json[VALUE_TEXT + 16];

	if (list)
		return put_last(e, list, a->value);
	snprintf(json, sizeof(json), "\"%s\": [%s]", a->key, a->value);
	return put_last(e, relay, json);
}

static bool is_entry(const char *key, struct json_object *entry, const char *value)
{
	const char *text = json_object_get_string(entry);
	struct socket_address at;
	char portal[ADDRESS_TEXT];

	if (!json_object_is_type(entry, json_type_string))
		return !strcmp(text, value);
	if (!strcmp(key, "portals") && !relay_parse_portal(text, &at)) {
		address_port_text(&at, portal);
		text = portal;
	}
	return is_quoted(value, text);
}

static bool is_entered(struct editing *e, const char *key, const char *value)
{
	const struct config_meant meant = { .config = e->config };
	const struct config_host *h;
	struct json_object *relay, *list;

	config_for_each(&meant, h) {
		if (!json_object_object_get_ex(h->mptcp, OBJECT, &relay) ||
		    !json_object_object_get_ex(relay, key, &list))
			continue;
		/* "auto" */
		if (json_object_is_type(list, json_type_string))
			return e->is_auto = true;
		for (size_t i = 0; i < json_object_array_length(list); i++)
			if (is_entry(key, json_object_array_get_idx(list, i), value))
				return true;
	}
	return false;
}

static int choose_entry(struct editing *e, const char *key, const char *value)
{
	struct addition *added;

	if (is_entered(e, key, value))
		return 0;
	added = array_add(&e->additions, &e->n_additions, sizeof(*added));
	if (!added)
		return -ENOMEM;
	added->key = key;
	str_copy(added->value, sizeof(added->value), value, strlen(value));
	return 0;
}

static int choose_entries(struct editing *e, const struct nvme_mptcp_relay *wanted)
{
	char text[ADDRESS_TEXT], value[VALUE_TEXT];
	int err = 0;

	for (size_t i = 0; !err && i < wanted->n_portals; i++) {
		address_port_text(&wanted->portals[i], text);
		snprintf(value, sizeof(value), "\"%s\"", text);
		err = choose_entry(e, "portals", value);
	}
	for (size_t i = 0; !err && i < wanted->n_ports; i++) {
		snprintf(value, sizeof(value), "%u", wanted->ports[i]);
		err = choose_entry(e, "ports", value);
	}
	for (size_t i = 0; !err && i < wanted->n_links; i++) {
		snprintf(value, sizeof(value), "\"%s\"", wanted->links[i]);
		err = choose_entry(e, "links", value);
	}
	return err;
}

/* Reads @text, and has a sentence for what is wrong with it. */
static int read_edited(const struct editing *e, const char *text, size_t length,
		       nvme_mptcp_config_t *ret)
{
	struct reader read = { .file = e->file };
	nvme_mptcp_config_t config = nvme_mptcp_config_new();
	int err = config ? config_read_text(&read, config, text, length) : -ENOMEM;

	if (read.error)
		failure_note(err, "%s", read.error);
	free(read.error);
	*ret = config;
	return err;
}

static int load_edited(struct editing *e)
{
	_cleanup_(reader_text) struct reader_text text = { 0 };
	struct reader read = { .file = e->file };
	struct stat st;
	int err = reader_load(&read, &text, &st);

	if (err && err != -ENOENT)
		failure_note(err, "%s: %s", e->file, read.error ? read.error : strerror(-err));
	free(read.error);
	if (err && err != -ENOENT)
		return err;
	/* A byte 0 is no JSON. */
	if (!err) {
		err = read_edited(e, text.bytes, text.len, &e->config);
		if (err)
			return err;
		e->before = strndup(text.bytes, text.len);
	}
	e->after = strdup(e->before ? e->before : "[]");
	if (!e->after || (text.bytes && !e->before))
		return -ENOMEM;
	return e->config ? 0 : read_edited(e, e->after, strlen(e->after), &e->config);
}

/* The whole is checked as the relay checks it. */
static int check_edited(const struct editing *e)
{
	_cleanup_(nvme_mptcp_config_free) nvme_mptcp_config_t config = NULL;
	_cleanup_(nvme_mptcp_relay_free) nvme_mptcp_relay_t checked = NULL;
	struct nvme_mptcp_relay_args query = { .args_size = sizeof(query) };
	int err = read_edited(e, e->after, strlen(e->after), &config);

	query.config = config;
	return err ? err : nvme_mptcp_relay_new(&query, &checked) ? -errno : 0;
}

/* A comment to a shell: no program does the same. */
static char *edit_as_comment(const struct editing *e)
{
	_cleanup_(text_wipe) struct text text = { 0 };
	FILE *out = text_open(&text);
	const char *key = NULL;

	if (out)
		fprintf(out, "# %s: \"" CONFIG_OBJECT "\": {\"" OBJECT "\": {", e->file);
	for (size_t i = 0; out && i < e->n_additions; i++) {
		const struct addition *a = &e->additions[i];

		if (a->key == key)
			fprintf(out, ", %s", a->value);
		else
			fprintf(out, "%s\"%s\": [%s", key ? "], " : "", a->key, a->value);
		key = a->key;
	}
	if (out)
		fputs("]}}", out);
	return text_close(&text) ? NULL : text_take(&text);
}

static int edit_text(struct editing *e, nvme_mptcp_plan_t plan)
{
	_cleanup_(free) char *command = NULL;
	int err;

	if (!e->n_additions)
		return 0;
	err = put_relay_object(e);
	for (size_t i = 0; !err && i < e->n_additions; i++)
		err = put_entry(e, &e->additions[i]);
	if (!err)
		err = check_edited(e);
	command = err ? NULL : edit_as_comment(e);
	if (err || !command)
		return err ? err : -ENOMEM;
	err = plan_file_step(plan, e->file, e->before, e->after, command,
			     "The relay takes what its configuration names");
	e->before = e->after = NULL;
	return err;
}

static void add_notes(const struct editing *e, nvme_mptcp_plan_t plan,
		      const struct nvme_mptcp_relay *wanted)
{
	char portal[ADDRESS_TEXT], address[ADDRESS_TEXT], command[2 * ADDRESS_TEXT + 96];

	for (size_t i = 0; i < wanted->n_portals; i++) {
		address_port_text(&wanted->portals[i], portal);
		address_text(&wanted->portals[i].ip, address);
		if (e->is_auto)
			plan_note(
				plan, NVME_MPTCP_ROLE_AUTO, NULL,
				"%s relays \"auto\", the portals that it and discovery.conf name, "
				"and is left alone: name %s there",
				e->file, portal);
		snprintf(command, sizeof(command),
			 NVME_COMMAND " connect -t tcp -a %s -s %u -n NQN --reconnect-delay=1",
			 address, wanted->portals[i].port);
		plan_note(plan, NVME_MPTCP_ROLE_HOST, command,
			  "Connect with tcp. --reconnect-delay=1 shortens the pause after a relay "
			  "has ended to about a second");
	}
}

/* The ports of nvmet, where none is named. */
static int find_relayed(nvme_mptcp_plan_t plan, nvme_mptcp_snapshot_t snap,
			const struct nvme_mptcp_relay_args *args, nvme_mptcp_relay_t *ret)
{
	struct nvme_mptcp_relay_args query = { .args_size = sizeof(query),
					       .portals = args->portals,
					       .ports = args->ports,
					       .links = args->links };
	_cleanup_(free) uint16_t *numbers = NULL;
	_cleanup_(free) const char **ports = NULL;
	_cleanup_(free) char(*texts)[8] = NULL;
	size_t n = 0;
	int err = 0;

	if (plan->role == NVME_MPTCP_ROLE_TARGET && !args->ports) {
		err = plan_relayable(snap, &numbers, &n);
		ports = calloc(n + 1, sizeof(*ports));
		texts = calloc(n + 1, sizeof(*texts));
		if (err || !ports || !texts)
			return -ENOMEM;
		for (size_t i = 0; i < n; i++) {
			snprintf(texts[i], sizeof(texts[i]), "%u", numbers[i]);
			ports[i] = texts[i];
		}
		query.ports = ports;
		if (!n)
			return failure_note(-EINVAL,
					    "nvmet has no port with trtype tcp: name the ports to "
					    "relay (--port)");
	}
	return nvme_mptcp_relay_new(&query, ret) ? -errno : 0;
}

int nvme_mptcp_plan_relay(nvme_mptcp_plan_t plan, nvme_mptcp_snapshot_t snap, const char *file,
			  const char *hostnqn, const struct nvme_mptcp_relay_args *args)
{
	_cleanup_(editing) struct editing e = { .file = file, .hostnqn = hostnqn };
	_cleanup_(nvme_mptcp_relay_free) nvme_mptcp_relay_t wanted = NULL;
	struct nvme_mptcp_relay_args known;
	int err;

	failure_begin();
	err = versioned_take(&known, args);
	if (!err)
		err = find_relayed(plan, snap, &known, &wanted);
	if (!err)
		err = load_edited(&e);
	if (!err)
		err = choose_entries(&e, wanted);
	if (!err)
		err = edit_text(&e, plan);
	if (!err) {
		add_notes(&e, plan, wanted);
		err = plan->err;
	}
	return err ? failure_raise(err, file) : 0;
}
