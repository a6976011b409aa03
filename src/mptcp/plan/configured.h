/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The objects "mptcp" of config.json; what they mean stands in <nvme/mptcp/config.h>. */
#pragma once

#include <nvme/mptcp/config.h>

#include "base/reader.h"

/* The key of the object. */
#define CONFIG_OBJECT "mptcp"

/* A host that has an object. */
struct config_host {
	char *hostnqn, *hostid; /* the latter or NULL */
	char *file, *path; /* where the object stands: "$[0].mptcp" */
	struct json_object *mptcp;
};

struct nvme_mptcp_config {
	struct config_host *hosts;
	size_t n_hosts;
	char *error; /* or NULL */
};

/* Some of the hosts, see nvme_mptcp_config_wants(). */
struct config_meant {
	struct nvme_mptcp_config *config;
	const char *hostnqn, *hostid;
};

/* The next one behind @h, NULL: the first; or NULL. */
struct config_host *config_next(const struct config_meant *meant, const struct config_host *h);

#define config_for_each(meant, h) for (h = NULL; (h = config_next(meant, h));)

/* Is there one that asks for endpoints or limits? What a check is to ignore or a relay takes is no such wish. */
bool config_wants(const struct config_meant *meant);

/* The array of hosts of a document, or NULL. */
struct json_object *config_hosts(struct json_object *document);
/*
 * Adds the hosts of a document that have an object, which stays the document's as well. 0, -EPROTO with the
 * error kept, -ENOMEM.
 */
int config_read_document(struct reader *read, struct nvme_mptcp_config *config,
			 struct json_object *document);
/* Overwrites a document's strings outside of these objects: json-c frees secrets as they are. */
void config_wipe(struct json_object *document);

/* @check of each entry of an array that has no more than @most. 0, -EPROTO with the error kept, -ENOMEM. */
int config_check_each(struct reader *read, struct json_object *array, size_t most,
		      int (*check)(struct reader *read, struct json_object *entry));

/* Is an object right, whatever machine it is for? 0, -EPROTO with the error kept, -ENOMEM. */
int config_check(struct reader *read, struct json_object *json);
/* Its object "relay" likewise. */
int config_check_relay(struct reader *read, struct json_object *relay);
