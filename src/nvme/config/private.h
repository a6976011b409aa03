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
#include <sys/stat.h>

#include "../fabrics/option-table.h"
#include "../tree/private.h"
#include "shared/json-stream.h"

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
	struct config_stamp stamp; /* of the file that was read */
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

/*
 * keys.c: what a document holds about one object, strings borrowed from it. Keys that nobody knows
 * may be of a later version: they are kept, to be written again.
 */
struct config_host {
	const char *hostnqn, *hostid, *dhchap_key, *hostsymname;
	struct json_object *subsystems, *mptcp, *unknown;
	bool pdc, has_pdc;
};

struct config_subsystem {
	const char *nqn, *application;
	struct json_object *ports, *unknown;
};

/* Room for a whole number as text. */
#define CONFIG_NUMBER 24

/* Values by option: text, or a number or flag. */
struct config_port {
	struct {
		bool given;
		const char *text;
		int number;
	} values[N_OPTIONS];
	char numbers[N_OPTIONS][CONFIG_NUMBER]; /* texts that stand there as numbers */
	struct json_object *unknown;
};

void config_host_release_cleanup(struct config_host *host);
void config_subsystem_release_cleanup(struct config_subsystem *subsystem);
void config_port_release_cleanup(struct config_port *port);

/* Adds the members of @from, which may be NULL, to *@to, which is made if need be. 0 or -ENOMEM. */
int config_add_members(struct json_object **to, struct json_object *from);
int config_add_member(struct json_object **to, const char *key, struct json_object *value);

/* Each checks types, values and what is required. 0, -EPROTO, -ENOMEM. */
int config_read_host(struct config_read *read, struct json_object *json, struct config_host *ret);
int config_read_subsystem(struct config_read *read, struct json_object *json,
			  struct config_subsystem *ret);
int config_read_port(struct config_read *read, struct json_object *json, struct config_port *ret);

/* mptcp.c: checks the object; the kernel's limits are those of net/mptcp/pm_netlink.c. */
int config_check_mptcp(struct config_read *read, struct json_object *json);

/* read.c: the stamp of a file. */
struct config_stamp config_stamp_of(const struct stat *st);

/* read.c: would @text be read? 0, -EPROTO with the error kept, -ENOMEM. */
int config_check_text(struct config_read *read, const char *text, size_t len);

/*
 * dump.c: the document of @r; *@secrets: whether there are any in it. What there was no memory for is
 * counted by memory_failures(), or known to @out.
 */
void config_put(struct nvme_root *r, struct json_stream *out, bool *secrets);

/* A value as it was read. */
void config_put_json(struct json_stream *out, const char *key, struct json_object *value);

#endif /* NVME_CONFIG_PRIVATE_H */
