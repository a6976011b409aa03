/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the objects "mptcp" of config.json. All other content belongs to libnvme. */
#include "base/array.h"
#include "base/failure.h"
#include "base/str.h"
#include "configured.h"
#include "shared/text.h"

static void document_put_cleanup(struct json_object **document)
{
	reader_put(*document, CONFIG_OBJECT);
}
DEFINE_CLEANUP(nvme_mptcp_config_t, nvme_mptcp_config_free);

nvme_mptcp_config_t nvme_mptcp_config_new(void)
{
	struct nvme_mptcp_config *config = calloc(1, sizeof(*config));

	failure_begin();
	if (!config)
		failure_raise(-ENOMEM, "a configuration");
	return config;
}

static void host_clear(struct config_host *h)
{
	free(h->hostnqn);
	free(h->hostid);
	free(h->file);
	free(h->path);
	reader_put(h->mptcp, NULL);
}

void nvme_mptcp_config_free(nvme_mptcp_config_t config)
{
	if (!config)
		return;
	for (size_t i = 0; i < config->n_hosts; i++)
		host_clear(&config->hosts[i]);
	free(config->hosts);
	free(config->error);
	free(config);
}

const char *nvme_mptcp_config_error(nvme_mptcp_config_t config)
{
	return config->error;
}

static const char *text_of(struct json_object *host, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(host, key, &value) &&
			       json_object_is_type(value, json_type_string)
		       ? json_object_get_string(value)
		       : NULL;
}

/* The path of an object in the document, for later errors; to be freed. NULL without memory. */
static char *place_of(const struct reader *read)
{
	_cleanup_(text_wipe) struct text path = { 0 };

	if (text_open(&path))
		reader_put_path(path.stream, &read->path);
	return text_close(&path) ? NULL : text_take(&path);
}

static int add_host(struct reader *read, struct nvme_mptcp_config *config, struct json_object *host,
		    struct json_object *mptcp)
{
	const char *hostnqn = text_of(host, "hostnqn");
	struct config_host *h;

	if (!hostnqn)
		return reader_fail(read, reader_line(host), "the host has no \"hostnqn\"");
	h = array_add(&config->hosts, &config->n_hosts, sizeof(*h));
	if (!h)
		return -ENOMEM;
	h->mptcp = json_object_get(mptcp);
	h->path = place_of(read);
	if (!h->path || str_set(&h->hostnqn, hostnqn) ||
	    str_set(&h->hostid, text_of(host, "hostid")) || str_set(&h->file, read->file))
		return -ENOMEM;
	return 0;
}

/* Check @json and every object in it for repeated keys. Return 0, or -EPROTO. */
static int check_repeats(struct reader *read, struct json_object *json)
{
	int err = reader_check_repeat(read, json);

	if (json_object_is_type(json, json_type_array)) {
		for (size_t i = 0; !err && i < json_object_array_length(json); i++)
			err = check_repeats(read, json_object_array_get_idx(json, i));
	} else if (json_object_is_type(json, json_type_object)) {
		json_object_object_foreach(json, key, value) {
			(void)key;
			err = err ? err : check_repeats(read, value);
		}
	}
	return err;
}

static int read_host(struct reader *read, struct nvme_mptcp_config *config,
		     struct json_object *host)
{
	struct json_object *mptcp;
	int err;

	if (!json_object_is_type(host, json_type_object) ||
	    !json_object_object_get_ex(host, CONFIG_OBJECT, &mptcp))
		return 0;
	if (reader_check_repeat(read, host) || check_repeats(read, mptcp))
		return -EPROTO;
	reader_enter_key(read, CONFIG_OBJECT, strlen(CONFIG_OBJECT));
	read->line = reader_line(host);
	err = config_check(read, mptcp);
	if (!err)
		err = add_host(read, config, host, mptcp);
	reader_leave(read);
	return err;
}

/* The array may be the whole document. */
struct json_object *config_hosts(struct json_object *document)
{
	struct json_object *hosts = document;

	if (json_object_is_type(document, json_type_object))
		json_object_object_get_ex(document, "hosts", &hosts);
	return json_object_is_type(hosts, json_type_array) ? hosts : NULL;
}

int config_read_document(struct reader *read, struct nvme_mptcp_config *config,
			 struct json_object *document)
{
	struct json_object *hosts = config_hosts(document);
	const bool inside = hosts != document;
	int err = 0;

	if (!hosts)
		return 0;
	if (inside)
		reader_enter_key(read, "hosts", strlen("hosts"));
	for (size_t i = 0; !err && i < json_object_array_length(hosts); i++) {
		reader_enter_element(read, hosts, i);
		err = read_host(read, config, json_object_array_get_idx(hosts, i));
		reader_leave(read);
	}
	if (inside)
		reader_leave(read);
	return err;
}

void config_wipe(struct json_object *json)
{
	if (json_object_is_type(json, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(json); i++)
			config_wipe(json_object_array_get_idx(json, i));
	} else if (json_object_is_type(json, json_type_object)) {
		json_object_object_foreach(json, key, value)
			if (strcmp(key, CONFIG_OBJECT) != 0)
				config_wipe(value);
	} else if (json_object_is_type(json, json_type_string)) {
		explicit_bzero((char *)json_object_get_string(json),
			       (size_t)json_object_get_string_len(json));
	}
}

static int read_file(struct reader *read, struct nvme_mptcp_config *config)
{
	_cleanup_(document_put) struct json_object *document = NULL;
	_cleanup_(reader_text) struct reader_text text = { 0 };
	struct stat st;
	int err = reader_load(read, &text, &st);

	/* Accept repeated keys here: libnvme reports them for all other content. */
	read->takes_repeats = true;
	if (!err)
		err = reader_parse(read, text.bytes, text.len, &document);
	if (!err)
		err = config_read_document(read, config, document);
	reader_forget_repeats(read);
	config_wipe(document);
	return err;
}

static bool is_host(const struct config_host *h, const struct config_host *other)
{
	return !strcmp(h->hostnqn, other->hostnqn) && str_eq(h->hostid, other->hostid);
}

/* Move the hosts of @found to @config. Allocates memory first: on failure, nothing has changed. */
static int take(struct nvme_mptcp_config *config, struct nvme_mptcp_config *found)
{
	struct config_host *hosts =
		reallocarray(config->hosts, config->n_hosts + found->n_hosts + 1, sizeof(*hosts));

	if (!hosts)
		return -ENOMEM;
	config->hosts = hosts;
	for (size_t i = 0; i < found->n_hosts; i++) {
		size_t at = 0;

		while (at < config->n_hosts && !is_host(&hosts[at], &found->hosts[i]))
			at++;
		if (at < config->n_hosts)
			host_clear(&hosts[at]);
		else
			config->n_hosts++;
		hosts[at] = found->hosts[i];
	}
	found->n_hosts = 0;
	return 0;
}

int nvme_mptcp_config_read(nvme_mptcp_config_t config, const char *file)
{
	_cleanup_(nvme_mptcp_config_free) nvme_mptcp_config_t found = nvme_mptcp_config_new();
	struct reader read = { .file = file };
	int err = found ? read_file(&read, found) : -ENOMEM;

	failure_begin();
	if (!err)
		err = take(config, found);
	free(config->error);
	config->error = read.error;
	if (!err)
		return 0;
	if (config->error)
		failure_note(err, "%s", config->error);
	return failure_raise(err, file);
}

struct config_host *config_next(const struct config_selection *meant, const struct config_host *h)
{
	struct nvme_mptcp_config *config = meant->config;

	for (size_t i = h ? (size_t)(h - config->hosts) + 1 : 0; i < config->n_hosts; i++) {
		struct config_host *next = &config->hosts[i];

		if ((!meant->hostnqn || !strcmp(meant->hostnqn, next->hostnqn)) &&
		    (!meant->hostid || !next->hostid || !strcmp(meant->hostid, next->hostid)))
			return next;
	}
	return NULL;
}

bool config_wants(const struct config_selection *meant)
{
	const struct config_host *h;

	config_for_each(meant, h)
		if (json_object_object_length(h->mptcp) >
		    json_object_object_get_ex(h->mptcp, "ignore", NULL) +
			    json_object_object_get_ex(h->mptcp, "relay", NULL))
			return true;
	return false;
}

bool nvme_mptcp_config_wants(nvme_mptcp_config_t config, const char *hostnqn, const char *hostid)
{
	return config_wants(&(const struct config_selection){ config, hostnqn, hostid });
}

/* Return the @i-th text of the checked lists of all hosts; NULL after the last one. */
static const char *listed_text(nvme_mptcp_config_t config, const char *object, const char *key,
			       size_t i)
{
	for (size_t host = 0; host < config->n_hosts; host++) {
		struct json_object *in = config->hosts[host].mptcp, *list;
		bool is_array;
		size_t n;

		if ((object && !json_object_object_get_ex(in, object, &in)) ||
		    !json_object_object_get_ex(in, key, &list))
			continue;
		is_array = json_object_is_type(list, json_type_array); /* otherwise "auto" */
		n = is_array ? json_object_array_length(list) : 1;
		if (i < n)
			return json_object_get_string(is_array ? json_object_array_get_idx(list, i)
							       : list);
		i -= n;
	}
	return NULL;
}

const char *nvme_mptcp_config_ignored(nvme_mptcp_config_t config, size_t i)
{
	return listed_text(config, NULL, "ignore", i);
}

const char *nvme_mptcp_config_relay_link(nvme_mptcp_config_t config, size_t i)
{
	return listed_text(config, "relay", "links", i);
}

const char *nvme_mptcp_config_relay_portal(nvme_mptcp_config_t config, size_t i)
{
	return listed_text(config, "relay", "portals", i);
}
