/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON configuration: one table that defines the keys, and the way from and to the tree. */
#pragma once

#include <json.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "../fabrics/option-table.h"
#include "../tree/private.h"
#include "base/reader.h"
#include "shared/json-stream.h"

/* key-names.c: what keys there are, what they hold, and where they belong. */
enum config_kind {
	KIND_STRING, /* any text */
	KIND_TEXT, /* any text up to a length */
	KIND_OPTION, /* text that becomes a value of the kernel's option line: no comma */
	KIND_NQN,
	KIND_UUID,
	KIND_TRANSPORT,
	KIND_ID, /* KIND_OPTION, or a whole number */
	KIND_FLAG,
	KIND_ARRAY,
	KIND_MPTCP, /* libnvme-mptcp knows what it holds */
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

/* "host" */
const char *config_level_name(enum config_level level);

/* A key of a host or subsystem, or NULL. Those of ports are rows of the options. */
const struct config_key *config_find_key(enum config_level level, const char *name);

/* The known key that one which is unknown at its level stands for. */
struct config_near {
	const char *name; /* NULL: none */
	enum config_level level; /* where it belongs */
	bool exact; /* it is spelt like that, and only stands in the wrong place */
	bool guards; /* it protects connections */
};

struct config_near config_near_key(enum config_level level, const char *name);

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
int config_read_host(struct reader *read, struct json_object *json, struct config_host *ret);
int config_read_subsystem(struct reader *read, struct json_object *json,
			  struct config_subsystem *ret);
int config_read_port(struct reader *read, struct json_object *json, struct config_port *ret);

/* Is there anything in @json, well or badly spelt, that protects connections? */
bool config_guards(struct json_object *json);

/* read.c: the stamp of a file. */
struct config_stamp config_stamp_of(const struct stat *st);

/* read.c: would @text be read? 0, -EPROTO with the error kept, -ENOMEM. */
int config_check_text(struct reader *read, const char *text, size_t len);

/*
 * dump.c: the document of @r; *@secrets: whether there are any in it. What there was no memory for is
 * counted by memory_failures(), or known to @out.
 */
void config_put(struct nvme_root *r, struct json_stream *out, bool *secrets);
