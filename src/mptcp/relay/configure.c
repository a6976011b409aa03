// SPDX-License-Identifier: LGPL-2.1-or-later
/* Adds to the object "relay" of a configuration. Other content of the file stays. */
#include "base/versioned.h"
#include "mptcp/plan/configured.h"
#include "mptcp/plan/steps.h"
#include "steering.h"

DEFINE_CLEANUP(struct json_object *, json_object_put);
DEFINE_CLEANUP(nvme_mptcp_config_t, nvme_mptcp_config_free);
DEFINE_CLEANUP(nvme_mptcp_relay_t, nvme_mptcp_relay_free);

#define OBJECT "relay"

struct editing {
	const char *file, *hostnqn, *hostid;
	char *before, *after; /* contents of the file; before NULL: there is none */
	struct json_object *document;
	nvme_mptcp_config_t config; /* objects "mptcp" of the document */
	struct json_object *added; /* additions to the object "relay", by key */
	bool is_auto; /* portals is "auto": those named elsewhere in the configuration */
};

static void wipe_text(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

static void editing_cleanup(struct editing *e)
{
	wipe_text(e->before);
	wipe_text(e->after);
	config_wipe(e->document);
	reader_put(e->document, NULL);
	json_object_put(e->added);
	nvme_mptcp_config_free(e->config);
}

/* Return the member @key of an object, created by @make if it is missing; NULL without memory. */
static struct json_object *take_member(struct json_object *object, const char *key,
				       struct json_object *(*make)(void))
{
	struct json_object *member;

	if (json_object_object_get_ex(object, key, &member))
		return member;
	member = make();
	if (!member || !json_object_object_add(object, key, member))
		return member;
	json_object_put(member);
	return NULL;
}

static int put_entry(struct json_object *object, const char *key, struct json_object *entry)
{
	struct json_object *list = take_member(object, key, json_object_new_array);

	if (!list || json_object_array_add(list, entry))
		return -ENOMEM;
	json_object_get(entry);
	return 0;
}

static int put_text(struct json_object *object, const char *key, const char *value)
{
	struct json_object *text = json_object_new_string(value);

	if (text && !json_object_object_add(object, key, text))
		return 0;
	json_object_put(text);
	return -ENOMEM;
}

/*
 * Return this host, which is added if it is missing; NULL without memory. nvme-cli 2.13 crashes on
 * a host without an ID.
 */
static struct json_object *take_host(const struct editing *e, struct json_object *hosts)
{
	_cleanup_(json_object_put) struct json_object *host = NULL;
	struct json_object *nqn;

	for (size_t i = 0; i < json_object_array_length(hosts); i++) {
		struct json_object *other = json_object_array_get_idx(hosts, i);

		if (json_object_object_get_ex(other, "hostnqn", &nqn) &&
		    json_object_is_type(nqn, json_type_string) &&
		    !strcmp(json_object_get_string(nqn), e->hostnqn))
			return other;
	}
	host = json_object_new_object();
	if (!host || put_text(host, "hostnqn", e->hostnqn) ||
	    (e->hostid && put_text(host, "hostid", e->hostid)))
		return NULL;
	return json_object_array_add(hosts, host) ? NULL : steal_ptr(&host);
}

/* Get the first object "relay", or add one to this host. Return 0 or -errno. */
static int take_relay(const struct editing *e, struct json_object **ret)
{
	const struct config_selection meant = { .config = e->config };
	struct json_object *hosts = config_hosts(e->document), *object;
	const struct config_host *h;

	config_for_each(&meant, h)
		if (json_object_object_get_ex(h->mptcp, OBJECT, ret))
			return 0;
	if (!e->hostnqn)
		return failure_note(-ENODATA,
				    "%s: this machine has no host NQN (mkdir -p " SYSCONFDIR
				    "/nvme && " NVME_COMMAND " gen-hostnqn >" SYSCONFDIR
				    "/nvme/hostnqn makes one)",
				    e->file);
	object = take_host(e, hosts);
	if (object)
		object = take_member(object, CONFIG_OBJECT, json_object_new_object);
	if (object)
		object = take_member(object, OBJECT, json_object_new_object);
	*ret = object;
	return object ? 0 : -ENOMEM;
}

static bool is_entry(const char *key, struct json_object *entry, const char *value)
{
	const char *text = json_object_get_string(entry);
	struct socket_address at;
	char portal[ADDRESS_TEXT];

	if (!strcmp(key, "portals") && !relay_parse_portal(text, &at)) {
		address_port_text(&at, portal);
		text = portal;
	}
	return !strcmp(text, value);
}

static bool is_entered(struct editing *e, const char *key, const char *value)
{
	const struct config_selection meant = { .config = e->config };
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

/*
 * Add @entry to a list, unless the list has it. Takes ownership of @entry; if it is NULL, returns
 * -ENOMEM.
 */
static int add_missing(struct editing *e, const char *key, struct json_object *entry)
{
	struct json_object *relay;
	int err = entry ? 0 : -ENOMEM;

	if (!err && !is_entered(e, key, json_object_get_string(entry))) {
		err = take_relay(e, &relay);
		if (!err)
			err = put_entry(relay, key, entry);
		if (!err)
			err = put_entry(e->added, key, entry);
	}
	json_object_put(entry);
	return err;
}

static int add_entries(struct editing *e, const struct nvme_mptcp_relay *wanted)
{
	char text[ADDRESS_TEXT];
	int err = 0;

	for (size_t i = 0; !err && i < wanted->n_portals; i++) {
		address_port_text(&wanted->portals[i], text);
		err = add_missing(e, "portals", json_object_new_string(text));
	}
	for (size_t i = 0; !err && i < wanted->n_ports; i++)
		err = add_missing(e, "ports", json_object_new_int(wanted->ports[i]));
	for (size_t i = 0; !err && i < wanted->n_links; i++)
		err = add_missing(e, "links", json_object_new_string(wanted->links[i]));
	return err;
}

/* Read the objects "mptcp" of the document in its present state. */
static int read_objects(const struct editing *e, nvme_mptcp_config_t *ret)
{
	struct reader read = { .file = e->file };
	int err;

	*ret = nvme_mptcp_config_new();
	err = *ret ? config_read_document(&read, *ret, e->document) : -ENOMEM;
	if (read.error)
		failure_note(err, "%s", read.error);
	free(read.error);
	return err;
}

static int load_document(struct editing *e)
{
	_cleanup_(reader_text) struct reader_text text = { 0 };
	struct reader read = { .file = e->file };
	struct stat st;
	int err = reader_load(&read, &text, &st);

	if (err == -ENOENT) {
		e->document = json_object_new_array();
		return e->document ? 0 : -ENOMEM;
	}
	if (!err)
		err = reader_parse(&read, text.bytes, text.len, &e->document);
	if (read.error)
		failure_note(err, "%s", read.error);
	else if (err)
		failure_note(err, "%s: %s", e->file, strerror(-err));
	free(read.error);
	if (err)
		return err;
	/* JSON has no NUL byte. */
	e->before = strndup(text.bytes, text.len);
	return e->before ? 0 : -ENOMEM;
}

static int load_objects(struct editing *e)
{
	int err = load_document(e);

	if (!err)
		err = read_objects(e, &e->config);
	if (!err && !config_hosts(e->document))
		err = failure_note(-EPROTO, "%s: the array of hosts is missing", e->file);
	e->added = json_object_new_object();
	return err || e->added ? err : -ENOMEM;
}

/* Check the whole document as the relay checks it. */
static int check_document(const struct editing *e)
{
	_cleanup_(nvme_mptcp_config_free) nvme_mptcp_config_t config = NULL;
	_cleanup_(nvme_mptcp_relay_free) nvme_mptcp_relay_t checked = NULL;
	struct nvme_mptcp_relay_args query = { .args_size = sizeof(query) };
	int err = read_objects(e, &config);

	query.config = config;
	return err ? err : nvme_mptcp_relay_new(&query, &checked) ? -errno : 0;
}

static int plan_edit(struct editing *e, nvme_mptcp_plan_t plan)
{
	struct json_stream out = { .pretty = true, .secret = true };
	_cleanup_(free) char *command = NULL;

	reader_put_json(&out, NULL, e->document);
	e->after = stream_finish(&out);
	if (!e->after)
		return -ENOMEM;
	if (out.replaced)
		return failure_note(-EPROTO,
				    "%s: the NQN of this host, or a link's name, is not UTF-8",
				    e->file);
	/* A comment for a shell, since no command makes this change. */
	if (asprintf(&command, "# %s: \"" CONFIG_OBJECT "\":{\"" OBJECT "\":%s}", e->file,
		     json_object_to_json_string_ext(e->added, JSON_C_TO_STRING_PLAIN)) < 0) {
		command = NULL;
		return -ENOMEM;
	}
	return plan_file_step(plan, e->file, steal_ptr(&e->before), steal_ptr(&e->after), command,
			      "The relay takes what its configuration names");
}

static void add_notes(const struct editing *e, nvme_mptcp_plan_t plan,
		      const struct nvme_mptcp_relay *wanted)
{
	char portal[ADDRESS_TEXT], address[ADDRESS_TEXT], command[2 * ADDRESS_TEXT + 96];

	for (size_t i = 0; i < wanted->n_portals; i++) {
		address_port_text(&wanted->portals[i], portal);
		address_text(&wanted->portals[i].ip, address);
		if (e->is_auto)
			plan_note(plan, NVME_MPTCP_ROLE_AUTO, NULL,
				  "%s relays \"auto\", the portals in it and in discovery.conf, "
				  "and is not changed: add %s there",
				  e->file, portal);
		snprintf(command, sizeof(command),
			 NVME_COMMAND " connect -t tcp -a %s -s %u -n NQN --reconnect-delay=1",
			 address, wanted->portals[i].port);
		plan_note(plan, NVME_MPTCP_ROLE_HOST, command,
			  "Connect with tcp. --reconnect-delay=1 shortens the pause after a relay "
			  "has ended to about a second");
	}
}

/* A relay takes connections on these links only, and keep makes endpoints for no others. */
static void note_links(const struct editing *e, nvme_mptcp_plan_t plan)
{
	const char *link;

	for (size_t i = 0; (link = nvme_mptcp_config_relay_link(e->config, i)); i++)
		if (!if_nametoindex(link))
			plan_note(plan, NVME_MPTCP_ROLE_AUTO, NULL,
				  "%s names link %s for the relay, which does not exist: if it was "
				  "renamed, change its name there",
				  e->file, link);
	if (nvme_mptcp_config_relay_link(e->config, 0))
		plan_note(plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "Only the links that %s names for the relay are used. --dev LINK,... "
			  "adds others",
			  e->file);
}

/* Parse the arguments; a target without named ports gets those of nvmet. */
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
		err = plan_relayable_ports(snap, &numbers, &n);
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
	e.hostid = err ? NULL : known.hostid;
	if (!err)
		err = find_relayed(plan, snap, &known, &wanted);
	if (!err)
		err = load_objects(&e);
	if (!err)
		err = add_entries(&e, wanted);
	if (!err && json_object_object_length(e.added)) {
		err = check_document(&e);
		if (!err)
			err = plan_edit(&e, plan);
	}
	if (!err) {
		add_notes(&e, plan, wanted);
		if (!known.links)
			note_links(&e, plan);
		err = plan->err;
	}
	return err ? failure_raise(err, file) : 0;
}
