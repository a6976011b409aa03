/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members of a configuration that another libnvme than this project's reads but silently ignores
 * for mptcp. They are taken from the file, since their offsets in libnvme's structures depend on
 * its version.
 */

#include <json-c/json.h>

#include "base/array.h"
#include "base/reader.h"
#include "base/str.h"
#include "older.h"

struct config {
	char *file;
	struct json_object *top;
};

static struct config *configs; /* never freed */
static size_t n_configs;

void older_note_config(const char *file)
{
	struct json_object *top = OWN(nvmf_set_options) ? NULL : json_object_from_file(file);
	struct config *config = top ? array_add(&configs, &n_configs, sizeof(*config)) : NULL;

	if (config)
		*config = (struct config){ strdup(file), top };
	else
		json_object_put(top);
}

int older_check_config(const char *file)
{
	_cleanup_(reader_text) struct reader_text text = { 0 };
	struct reader read = { .file = file };
	struct json_object *document = NULL;
	struct stat st;
	int err = OWN(nvmf_set_options) ? -ENOENT : reader_load(&read, &text, &st);

	if (!err)
		err = reader_parse(&read, text.bytes, text.len, &document);
	/* libnvme reports files that cannot be opened. */
	if (err != -ENOMEM && err != -EPROTO)
		err = 0;
	if (err)
		snprintf(older_reason, sizeof(older_reason), "%s",
			 read.error ? read.error : strerror(-err));
	free(read.error);
	reader_put(document, NULL);
	return err;
}

static const char *text_of(struct json_object *object, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(object, name, &value) ? json_object_get_string(value)
							       : NULL;
}

static struct json_object *list_of(struct json_object *object, const char *name)
{
	struct json_object *list;

	return json_object_object_get_ex(object, name, &list) &&
			       json_object_is_type(list, json_type_array)
		       ? list
		       : NULL;
}

static bool is_unset_or(const char *described, const char *value)
{
	return str_is_unset(described) || str_is_unset(value) || !strcmp(described, value);
}

static bool describes(struct json_object *port, nvme_ctrl_t c)
{
	return str_eq(text_of(port, "transport"), __real_nvme_ctrl_get_transport(c)) &&
	       older_is_same_address(text_of(port, "traddr"), nvme_ctrl_get_traddr(c)) &&
	       is_unset_or(text_of(port, "trsvcid"), nvme_ctrl_get_trsvcid(c)) &&
	       is_unset_or(text_of(port, "host_iface"), nvme_ctrl_get_host_iface(c)) &&
	       (str_is_unset(text_of(port, "host_traddr")) ||
		str_is_unset(nvme_ctrl_get_host_traddr(c)) ||
		older_is_same_address(text_of(port, "host_traddr"), nvme_ctrl_get_host_traddr(c)));
}

/* True if the member requests something; "tos" -1 and false do not. */
static bool asks(struct json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_boolean:
		return json_object_get_boolean(value);
	case json_type_int:
		return json_object_get_int(value) >= 0;
	case json_type_string:
		return *json_object_get_string(value);
	default:
		return false;
	}
}

static const char *left_out_of(struct json_object *port)
{
	static const char *const members[] = {
		"tls",	      "concat",	     "keyring", "tls_key",	     "tls_key_identity",
		"hdr_digest", "data_digest", "tos",	"duplicate_connect", "disable_sqflow",
	};
	struct json_object *value;

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (json_object_object_get_ex(port, members[i], &value) && asks(value))
			return members[i];
	return NULL;
}

static const char *left_out_of_host(struct json_object *host, nvme_ctrl_t c)
{
	struct json_object *subsystems = list_of(host, "subsystems");
	const char *member = NULL;

	for (size_t i = 0; subsystems && i < json_object_array_length(subsystems); i++) {
		struct json_object *s = json_object_array_get_idx(subsystems, i);
		struct json_object *ports = list_of(s, "ports");

		if (!str_eq(text_of(s, "nqn"), nvme_ctrl_get_subsysnqn(c)))
			continue;
		for (size_t j = 0; ports && !member && j < json_object_array_length(ports); j++) {
			struct json_object *port = json_object_array_get_idx(ports, j);

			member = describes(port, c) ? left_out_of(port) : NULL;
		}
	}
	return member;
}

/* Return the hosts of a configuration, or NULL. */
static struct json_object *hosts_of(const struct config *config)
{
	return json_object_is_type(config->top, json_type_array) ? config->top
								 : list_of(config->top, "hosts");
}

static bool is_host(struct json_object *host, nvme_host_t h)
{
	return is_unset_or(text_of(host, "hostnqn"), nvme_host_get_hostnqn(h));
}

const char *older_left_out(nvme_host_t h, nvme_ctrl_t c, const char **file)
{
	for (size_t i = 0; i < n_configs; i++) {
		struct json_object *hosts = hosts_of(&configs[i]);

		for (size_t j = 0; hosts && j < json_object_array_length(hosts); j++) {
			struct json_object *host = json_object_array_get_idx(hosts, j);
			const char *member = is_host(host, h) ? left_out_of_host(host, c) : NULL;

			if (member) {
				*file = configs[i].file ? configs[i].file : "the configuration";
				return member;
			}
		}
	}
	return NULL;
}

static const char *application_in(struct json_object *host, const char *nqn)
{
	struct json_object *subsystems = list_of(host, "subsystems");
	const char *application = NULL;

	for (size_t i = 0; subsystems && !application && i < json_object_array_length(subsystems);
	     i++) {
		struct json_object *s = json_object_array_get_idx(subsystems, i);

		if (str_eq(text_of(s, "nqn"), nqn))
			application = text_of(s, "application");
	}
	return application;
}

const char *older_application(nvme_host_t h, const char *nqn)
{
	const char *application = NULL;

	for (size_t i = 0; i < n_configs; i++) {
		struct json_object *hosts = hosts_of(&configs[i]);

		for (size_t j = 0; hosts && !application && j < json_object_array_length(hosts);
		     j++) {
			struct json_object *host = json_object_array_get_idx(hosts, j);

			application = is_host(host, h) ? application_in(host, nqn) : NULL;
		}
	}
	return application;
}
