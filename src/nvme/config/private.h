/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * JSON configuration: a strict reader that knows on which line everything stands, one table that
 * defines the keys, and the way from and to the tree.
 */
#ifndef NVME_CONFIG_PRIVATE_H
#define NVME_CONFIG_PRIVATE_H

#include <json.h>
#include <stdbool.h>
#include <stddef.h>

#include "../fabrics/option-table.h"
#include "../tree/private.h"

/* Far more than a large site needs, far less than hurts. */
#define CONFIG_SIZE_MAX (64 << 20)
#define CONFIG_DEPTH_MAX 16

/* Where in the document the reader is: "$[0].subsystems[2].ports[1].traddr". */
struct json_path {
	struct {
		const char *key; /* NULL: an index */
		size_t key_len;
		size_t index;
	} steps[CONFIG_DEPTH_MAX + 2];
	size_t depth;
};

/* One attempt to read a file. */
struct config_read {
	const char *file;
	struct json_path path;
	unsigned int line; /* of what is around: null values have none of their own */
	char *error; /* the first one */
};

/* Keeps the first error and returns -EPROTO, or -ENOMEM. */
int config_fail(struct config_read *read, unsigned int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static inline void path_push_key(struct json_path *path, const char *key, size_t len)
{
	path->steps[path->depth].key = key;
	path->steps[path->depth++].key_len = len;
}

static inline void path_push_index(struct json_path *path, size_t index)
{
	path->steps[path->depth].key = NULL;
	path->steps[path->depth++].index = index;
}

static inline void path_pop(struct json_path *path)
{
	path->depth--;
}

/*
 * parse.c: RFC 8259 without anything beyond it, keys unique, nesting at most CONFIG_DEPTH_MAX.
 * 0, -EPROTO with the error kept, -ENOMEM.
 */
int config_json_parse(struct config_read *read, const char *text, size_t len,
		      struct json_object **ret);

/* On which line a value starts; 0 for null, which has no object. */
unsigned int config_json_line(struct json_object *value);

/* keys.c: what a document holds about one object, strings borrowed from it. */
struct config_host {
	const char *hostnqn, *hostid, *dhchap_key, *hostsymname;
	struct json_object *subsystems, *mptcp;
	bool pdc, has_pdc;
};

struct config_subsystem {
	const char *nqn, *application;
	struct json_object *ports;
};

/* Values by option: text, or a number or flag. */
struct config_port {
	struct {
		bool given;
		const char *text;
		int number;
	} values[N_OPTIONS];
};

/* Each checks types, values and what is required. 0, -EPROTO, -ENOMEM. */
int config_read_host(struct config_read *read, struct json_object *json, struct config_host *ret);
int config_read_subsystem(struct config_read *read, struct json_object *json,
			  struct config_subsystem *ret);
int config_read_port(struct config_read *read, struct json_object *json, struct config_port *ret);

/* mptcp.c: checks the object; the kernel's limits are those of net/mptcp/pm_netlink.c. */
int config_check_mptcp(struct config_read *read, struct json_object *json);

/* dump.c: the document of @r; *@secrets: whether there are any in it. NULL without memory. */
struct json_object *config_to_json(struct nvme_root *r, bool *secrets);

#endif /* NVME_CONFIG_PRIVATE_H */
