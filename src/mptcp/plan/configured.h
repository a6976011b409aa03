/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects "mptcp" of config.json; <nvme/mptcp/config.h> describes them. */
#pragma once

#include <nvme/mptcp/config.h>

#include "base/reader.h"

/* Key of the object. */
#define CONFIG_OBJECT "mptcp"

/* A host entry with an object "mptcp". */
struct config_host {
	char *hostnqn, *hostid; /* hostid may be NULL */
	char *file, *path; /* path of the object in the document: "$[0].mptcp" */
	struct json_object *mptcp;
};

struct nvme_mptcp_config {
	struct config_host *hosts;
	size_t n_hosts;
	char *error; /* or NULL */
};

/* Selected hosts, see nvme_mptcp_config_wants(); a NULL member selects any. */
struct config_meant {
	struct nvme_mptcp_config *config;
	const char *hostnqn, *hostid;
};

/* Return the selected host after @h, or the first one if @h is NULL; NULL after the last one. */
struct config_host *config_next(const struct config_meant *meant, const struct config_host *h);

#define config_for_each(meant, h) for (h = NULL; (h = config_next(meant, h));)

/*
 * True if a selected host configures endpoints or limits; the members "ignore" and "relay" do not
 * count.
 */
bool config_wants(const struct config_meant *meant);

/* Return the array of hosts of a document, or NULL. */
struct json_object *config_hosts(struct json_object *document);
/*
 * Add the hosts of a document that have an object "mptcp"; the document keeps its own reference to
 * the object. Return 0, -EPROTO with the error in @read, or -ENOMEM.
 */
int config_read_document(struct reader *read, struct nvme_mptcp_config *config,
			 struct json_object *document);
/*
 * Overwrite the strings of a document outside of objects "mptcp": json-c frees secrets without
 * clearing them.
 */
void config_wipe(struct json_object *document);

/*
 * Call @check for each entry of an array, which may have at most @most entries. Return 0, -EPROTO
 * with the error in @read, or -ENOMEM.
 */
int config_check_each(struct reader *read, struct json_object *array, size_t most,
		      int (*check)(struct reader *read, struct json_object *entry));

/*
 * Check an object "mptcp" independently of the machine that it is for. Return 0, -EPROTO with the
 * error in @read, or -ENOMEM.
 */
int config_check(struct reader *read, struct json_object *json);
/* Check the member "relay" of an object "mptcp"; return as config_check(). */
int config_check_relay(struct reader *read, struct json_object *relay);
