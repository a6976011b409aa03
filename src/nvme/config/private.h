/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON configuration: the table of keys, and conversion from and to the tree. */
#pragma once

#include <json.h>

#include "../fabrics/option-table.h"
#include "../tree/private.h"
#include "base/reader.h"

/* key-names.c: the known keys, their types and levels. */
enum config_kind {
	KIND_STRING, /* any text */
	KIND_TEXT, /* any text up to a maximum length */
	KIND_OPTION, /* text for the kernel's option line, without commas */
	KIND_NQN,
	KIND_UUID,
	KIND_TRANSPORT,
	KIND_ID, /* KIND_OPTION, or a whole number */
	KIND_FLAG,
	KIND_ARRAY,
	KIND_MPTCP, /* checked by libnvme-mptcp */
};

enum config_level {
	LEVEL_HOST,
	LEVEL_SUBSYSTEM,
	LEVEL_PORT,
};

struct config_key {
	const char *name;
	enum config_kind kind;
	size_t offset; /* in struct config_host or config_subsystem */
};

/* Return the name of a level, e.g. "host". */
const char *config_level_name(enum config_level level);

/* Return a key of a host or subsystem, or NULL. Keys of ports are in option_rows. */
const struct config_key *config_find_key(enum config_level level, const char *name);

/* The known key that is most similar to an unknown one. */
struct config_near {
	const char *name; /* NULL: none */
	enum config_level level; /* the level of the known key */
	bool exact; /* same spelling, wrong level */
	bool guards; /* the key protects connections */
};

struct config_near config_near_key(enum config_level level, const char *name);

/*
 * keys.c: the members of one object, with strings borrowed from the document. Unknown keys may come
 * from a later version: they are kept and written back.
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

/* Buffer size of a whole number as text. */
#define CONFIG_NUMBER 24

/* Values indexed by option: text, or a number or flag. */
struct config_port {
	struct {
		bool given;
		const char *text;
		int number;
	} values[N_OPTIONS];
	char numbers[N_OPTIONS][CONFIG_NUMBER]; /* buffers for texts that are numbers in the file */
	struct json_object *unknown;
};

void config_host_release_cleanup(struct config_host *host);
void config_subsystem_release_cleanup(struct config_subsystem *subsystem);
void config_port_release_cleanup(struct config_port *port);

/* Add the members of @from (may be NULL) to *@to, created on demand. Return 0 or -ENOMEM. */
int config_add_members(struct json_object **to, struct json_object *from);
int config_add_member(struct json_object **to, const char *key, struct json_object *value);

/* Read one object and check types, values and required keys. Return 0, -EPROTO or -ENOMEM. */
int config_read_host(struct reader *read, struct json_object *json, struct config_host *ret);
int config_read_subsystem(struct reader *read, struct json_object *json,
			  struct config_subsystem *ret);
int config_read_port(struct reader *read, struct json_object *json, struct config_port *ret);

/* True if @json contains a key, possibly misspelt, that protects connections. */
bool config_guards(struct json_object *json);

/* read.c: return the identity, size and mtime of a file, to detect changes. */
struct config_stamp config_stamp_of(const struct stat *st);

/*
 * read.c: check whether @text can be read without errors. Return 0, -EPROTO with the error stored,
 * or -ENOMEM.
 */
int config_check_text(struct reader *read, const char *text, size_t len);

/*
 * dump.c: write the configuration of @r; set *@secrets if it contains secrets. Failed allocations
 * are counted by memory_failures() or stored in @out.
 */
void config_put(struct nvme_root *r, struct json_stream *out, bool *secrets);
