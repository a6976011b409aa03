/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read a file into the tree: each valid host, subsystem and port, even if others are invalid. */
#include "private.h"

static void document_put_cleanup(struct json_object **document)
{
	reader_put(*document, NULL);
}

struct config_stamp config_stamp_of(const struct stat *st)
{
	return (struct config_stamp){
		.device = st->st_dev,
		.inode = st->st_ino,
		.size = (uint64_t)st->st_size,
		.seconds = st->st_mtim.tv_sec,
		.nanoseconds = st->st_mtim.tv_nsec,
	};
}

/* Call @visit for each element of @array with the path set. */
static int for_each(struct reader *read, const char *key, struct json_object *array,
		    int (*visit)(struct reader *, struct json_object *, void *), void *arg)
{
	int err = 0;

	if (key)
		reader_enter_key(read, key, strlen(key));
	for (size_t i = 0; array && !err && i < json_object_array_length(array); i++) {
		reader_enter_element(read, array, i);
		err = visit(read, json_object_array_get_idx(array, i), arg);
		reader_leave(read);
	}
	if (key)
		reader_leave(read);
	return err;
}

/* Skip an invalid entry and continue with the rest. */
static int skip_entry(struct reader *read, int err)
{
	return err == -EPROTO ? reader_continue(read) : err;
}

/*
 * Refuse later connections that an invalid entry matches: without its settings they would be less
 * protected than intended. @subsysnqn and @traddr NULL match all.
 */
static int guard_against(struct reader *read, struct nvme_root *r, const char *hostnqn,
			 const char *subsysnqn, const char *traddr)
{
	return root_add_guard(r, hostnqn, subsysnqn, traddr, read->error);
}

static const char *member_text(struct json_object *json, const char *key)
{
	struct json_object *value;

	return json_object_is_type(json, json_type_object) &&
			       json_object_object_get_ex(json, key, &value) &&
			       json_object_is_type(value, json_type_string)
		       ? json_object_get_string(value)
		       : NULL;
}

static int apply_option(struct nvme_ctrl *c, const struct option_row *row,
			const struct config_port *port)
{
	void *field = option_field(row, c);
	const char *text = port->values[row - option_rows].text;
	int number = port->values[row - option_rows].number;

	switch (row->type) {
	case OPTION_TYPE_TEXT:
	case OPTION_TYPE_KEY:
		return row->rules & NVMF_OPTION_SECRET ? str_set_secret(field, text)
						       : str_set(field, text);
	case OPTION_TYPE_NUMBER:
		*(int *)field = number;
		return 0;
	case OPTION_TYPE_FLAG:
	case OPTION_TYPE_MARK:
		*(bool *)field = number;
		return 0;
	case OPTION_TYPE_NAMED:
		break;
	}
	return 0;
}

static int visit_port(struct reader *read, struct json_object *json, void *arg)
{
	static const enum fabrics_option address[] = { OPTION_TRANSPORT, OPTION_TRADDR,
						       OPTION_HOST_TRADDR, OPTION_HOST_IFACE,
						       OPTION_TRSVCID };
	const char *text[sizeof(address) / sizeof(address[0])];
	_cleanup_(config_port_release) struct config_port port;
	struct nvme_subsystem *s = arg;
	struct ctrl_query query;
	struct nvme_ctrl *c;
	int err = config_read_port(read, json, &port);

	if (err == -EPROTO && s && config_guards(json) &&
	    guard_against(read, s->h->r, s->h->hostnqn, s->subsysnqn, member_text(json, "traddr")))
		return -ENOMEM;
	if (err || !s)
		return skip_entry(read, err);
	for (size_t i = 0; i < sizeof(address) / sizeof(address[0]); i++) {
		text[i] = port.values[address[i]].text;
		port.values[address[i]].given = false;
	}
	query = ctrl_query(text[0], text[1], text[4], NULL, text[2], text[3]);
	c = ctrl_describe_relayed(s, &query);
	if (!c)
		c = nvme_lookup_ctrl(s, text[0], text[1], text[2], text[3], text[4], NULL);
	if (!c)
		return -ENOMEM;
	for (size_t i = 0; !err && i < N_OPTIONS; i++)
		if (port.values[i].given)
			err = apply_option(c, &option_rows[i], &port);
	if (!err)
		err = config_add_members(&c->unknown_keys, port.unknown);
	c->configured = true;
	return err;
}

static int visit_subsystem(struct reader *read, struct json_object *json, void *arg)
{
	_cleanup_(config_subsystem_release) struct config_subsystem subsystem;
	struct nvme_host *h = arg;
	struct nvme_subsystem *s = NULL;
	int err = config_read_subsystem(read, json, &subsystem);

	if (err == -EPROTO && h && config_guards(json) &&
	    guard_against(read, h->r, h->hostnqn, member_text(json, "nqn"), NULL))
		return -ENOMEM;
	if (err)
		return skip_entry(read, err);
	if (h) {
		s = subsystem_lookup(h, NULL, subsystem.nqn);
		if (!s)
			return -ENOMEM;
		s->configured = true;
		if (subsystem.application)
			err = str_set(&s->application, subsystem.application);
		if (!err)
			err = config_add_members(&s->unknown_keys, subsystem.unknown);
	}
	return err ?: for_each(read, "ports", subsystem.ports, visit_port, s);
}

static int apply_host(struct nvme_root *r, const struct config_host *host, struct nvme_host **ret)
{
	struct nvme_host *h = nvme_lookup_host(r, host->hostnqn, host->hostid);
	int err = h ? 0 : -ENOMEM;

	if (!err && host->dhchap_key)
		err = str_set_secret(&h->dhchap_key, host->dhchap_key);
	if (!err && host->hostsymname)
		err = str_set(&h->hostsymname, host->hostsymname);
	if (!err && host->mptcp) {
		json_object_put(h->mptcp);
		h->mptcp = json_object_get(host->mptcp);
		str_set(&h->mptcp_text, NULL);
	}
	if (!err)
		err = config_add_members(&h->unknown_keys, host->unknown);
	if (err)
		return err;
	h->configured = true;
	if (host->has_pdc)
		nvme_host_set_pdc_enabled(h, host->pdc);
	*ret = h;
	return 0;
}

static int visit_host(struct reader *read, struct json_object *json, void *arg)
{
	_cleanup_(config_host_release) struct config_host host;
	struct nvme_root *r = arg;
	struct nvme_host *h = NULL;
	int err = config_read_host(read, json, &host);

	if (err == -EPROTO && r && config_guards(json) && member_text(json, "hostnqn") &&
	    guard_against(read, r, member_text(json, "hostnqn"), NULL, NULL))
		return -ENOMEM;
	if (err)
		return skip_entry(read, err);
	if (r)
		err = apply_host(r, &host, &h);
	return err ?: for_each(read, "subsystems", host.subsystems, visit_subsystem, h);
}

/* Find the array of hosts: the whole document or its member "hosts". */
static int find_hosts(struct reader *read, struct json_object *document, const char **ret_key,
		      struct json_object **ret)
{
	struct json_object *hosts = document;

	*ret_key = NULL;
	if (json_object_is_type(document, json_type_object)) {
		if (!json_object_object_get_ex(document, "hosts", &hosts))
			return reader_fail(read, reader_line(document), "\"hosts\" is missing");
		*ret_key = "hosts";
	}
	if (!json_object_is_type(hosts, json_type_array))
		return reader_fail(read, reader_line(hosts), "%s must be an array of hosts, not %s",
				   *ret_key ? "\"hosts\"" : "the document",
				   json_type_to_name(json_object_get_type(hosts)));
	*ret = hosts;
	return 0;
}

/* Free all objects created since @serial. */
static void roll_back(struct nvme_root *r, uint64_t serial)
{
	struct nvme_subsystem *s, *next_s;
	struct nvme_host *h, *next_h;
	struct nvme_ctrl *c, *next_c;

	nvme_for_each_host_safe(r, h, next_h) {
		nvme_for_each_subsystem_safe(h, s, next_s) {
			nvme_subsystem_for_each_ctrl_safe(s, c, next_c)
				if (c->serial_number > serial)
					nvme_free_ctrl(c);
			if (s->serial_number > serial)
				nvme_free_subsystem(s);
		}
		if (h->serial_number > serial)
			nvme_free_host(h);
	}
}

/* Keep the other members of the document, which the tree has no objects for. */
static int keep_members(struct nvme_root *r, struct json_object *document)
{
	struct json_object *members;
	int err = 0;

	if (!json_object_is_type(document, json_type_object))
		return 0;
	members = json_object_new_object();
	if (!members)
		return -ENOMEM;
	json_object_object_foreach(document, key, value)
		if (!err && strcmp(key, "hosts") != 0)
			err = config_add_member(&members, key, value);
	if (err) {
		json_object_put(members);
		return err;
	}
	json_object_put(r->config_members);
	r->config_members = members;
	return 0;
}

static bool is_secret(const char *key)
{
	const struct option_row *row = option_by_json(key);

	return row && row->rules & NVMF_OPTION_SECRET;
}

/* Wipe the secrets, which the tree has copied: json-c does not. Unknown keys stay unchanged. */
static void wipe_secrets(struct json_object *json)
{
	static const char *const levels[] = { "hosts", "subsystems", "ports", NULL };

	if (json_object_is_type(json, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(json); i++)
			wipe_secrets(json_object_array_get_idx(json, i));
	} else if (json_object_is_type(json, json_type_object)) {
		json_object_object_foreach(json, key, value) {
			if (is_secret(key) && json_object_is_type(value, json_type_string))
				explicit_bzero((char *)json_object_get_string(value),
					       (size_t)json_object_get_string_len(value));
			if (str_in_list(levels, key))
				wipe_secrets(value);
		}
	}
}

/* Read a document into @r, or only check it if @r is NULL. */
static int read_document(struct reader *read, struct nvme_root *r, const char *text, size_t len)
{
	_cleanup_(document_put) struct json_object *document = NULL;
	uint64_t serial = r ? r->next_serial : 0;
	struct json_object *hosts = NULL;
	const char *key = NULL;
	int err, ret;

	read->takes_repeats = true;
	err = reader_parse(read, text, len, &document) ?: find_hosts(read, document, &key, &hosts);
	if (!err) {
		err = for_each(read, key, hosts, visit_host, r);
		if (!err && r)
			err = keep_members(r, document);
	}
	ret = reader_end_repeats(read);
	if (!err)
		err = ret;
	if (err && r)
		roll_back(r, serial);
	wipe_secrets(document);
	return err;
}

int config_check_text(struct reader *read, const char *text, size_t len)
{
	int err = read_document(read, NULL, text, len);

	for (size_t i = 0; !err && i < read->n_problems; i++)
		if (read->problems[i].refused) {
			read->error = steal_ptr(&read->problems[i].text);
			err = -EPROTO;
		}
	return err;
}

/* Read the file of @read. Return 0, -EPROTO if it is invalid, -ENOMEM, or another -errno. */
static int config_read_file(struct reader *read, struct nvme_root *r, struct config_stamp *stamp)
{
	_cleanup_(reader_text) struct reader_text text = { 0 };
	struct stat st = { 0 };
	int err = reader_load(read, &text, &st);

	*stamp = config_stamp_of(&st);
	return err ?: read_document(read, r, text.bytes, text.len);
}

static void keep_reason(struct nvme_root *r, struct reader *read, int err)
{
	r->config_error = read->error ? steal_ptr(&read->error)
				      : str_format("%s: %s", read->file, strerror(-err));
}

static bool has_refused(const struct nvme_root *r)
{
	for (size_t i = 0; i < r->n_config_problems; i++)
		if (r->config_problems[i].refused)
			return true;
	return false;
}

/* Log the problems and move them to the tree. */
static void keep_problems(struct nvme_root *r, struct reader *read)
{
	r->config_problems = steal_ptr(&read->problems);
	r->n_config_problems = read->n_problems;
	for (size_t i = 0; i < r->n_config_problems; i++)
		if (r->config_problems[i].refused)
			log_err(r, "%s", r->config_problems[i].text);
		else
			log_warn(r, "%s", r->config_problems[i].text);
}

int nvme_read_config(nvme_root_t r, const char *config_file)
{
	struct reader read = { .file = config_file };
	struct config_stamp stamp = { 0 };
	_cleanup_(free) char *name = NULL;
	bool modified;
	int err;

	if (!r || !config_file)
		return failure_errno(-ENODEV);
	str_set(&r->config_error, NULL);
	root_forget_problems(r);
	modified = r->modified;
	/* Allocate first, so that nothing can fail after the tree has changed. */
	err = str_set(&name, config_file) ?: config_read_file(&read, r, &stamp);
	/* Values read from the file do not need to be written back. */
	r->modified = modified;
	keep_problems(r, &read);
	if (err) {
		keep_reason(r, &read, err);
		if (err == -EPROTO)
			log_err(r, "%s", r->config_error ? r->config_error : config_file);
		else
			log_debug(r, "%s: %s", config_file, strerror(-err));
	}
	if (!err || err == -ENOENT) {
		free(r->config_file);
		r->config_file = steal_ptr(&name);
		r->config_stamp = stamp;
		r->config_partial = has_refused(r);
		if (r->config_partial)
			err = -EPROTO;
	}
	free(read.error);
	errno = -err;
	return err == -EPROTO || err == -ENOMEM ? -1 : 0;
}

nvme_root_t nvme_scan(const char *config_file)
{
	struct nvme_root *r = nvme_create_root(NULL, DEFAULT_LOGLEVEL);

	if (!r)
		return NULL;
	nvme_scan_topology(r, NULL, NULL);
	if (config_file)
		nvme_read_config(r, config_file);
	return r;
}

const char *nvme_host_get_mptcp_config(nvme_host_t h)
{
	struct json_stream out = { 0 };

	if (h->mptcp && !h->mptcp_text) {
		reader_put_json(&out, NULL, h->mptcp);
		h->mptcp_text = stream_finish(&out);
		if (!h->mptcp_text)
			memory_note_failure();
	}
	return h->mptcp_text;
}

/* libnvme does not check the object's contents. */
const char *nvme_host_get_mptcp_ignored(nvme_host_t h, size_t i)
{
	struct json_object *rules, *rule;

	if (!json_object_is_type(h->mptcp, json_type_object) ||
	    !json_object_object_get_ex(h->mptcp, "ignore", &rules) ||
	    !json_object_is_type(rules, json_type_array) || i >= json_object_array_length(rules))
		return NULL;
	rule = json_object_array_get_idx(rules, i);
	return json_object_is_type(rule, json_type_string) ? json_object_get_string(rule) : NULL;
}
