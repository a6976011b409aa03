/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects "mptcp" of config.json; <nvme/mptcp/config.h> describes them. */
#pragma once

#include <nvme/mptcp/config.h>

#include "base/reader.h"

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
struct config_selection {
	struct nvme_mptcp_config *config;
	const char *hostnqn, *hostid;
};

/* Return the selected host after @h, or the first one if @h is NULL; NULL after the last one. */
struct config_host *config_next(const struct config_selection *meant, const struct config_host *h);

#define config_for_each(meant, h) for (h = NULL; (h = config_next(meant, h));)

/* True if a selected host configures endpoints or limits; "ignore" and "relay" do not count. */
bool config_wants(const struct config_selection *meant);

struct json_object *config_hosts(struct json_object *document);
/* Add hosts that have an object "mptcp": 0, -EPROTO with the error in @read, or -ENOMEM. */
int config_read_document(struct reader *read, struct nvme_mptcp_config *config,
			 struct json_object *document);
/* Wipe a document's strings outside of objects "mptcp": json-c does not clear secrets. */
void config_wipe(struct json_object *document);

/* Call @check for each of at most @most entries: 0, -EPROTO with the error in @read, or -ENOMEM. */
int config_check_each(struct reader *read, struct json_object *array, size_t most,
		      int (*check)(struct reader *read, struct json_object *entry));

/* The same for each member of an object. */
int config_check_members(struct reader *read, struct json_object *object,
			 int (*check)(struct reader *read, const char *key,
				      struct json_object *value));

int config_check_int(struct reader *read, struct json_object *value, int64_t min, int64_t max);

/* Return the flags of an endpoint that has been checked, or @otherwise. */
int64_t config_flags(struct json_object *endpoint, int64_t otherwise);

/* Check an object "mptcp" for any machine: 0, -EPROTO with the error in @read, or -ENOMEM. */
int config_check(struct reader *read, struct json_object *json);
/* Check the member "relay" of an object "mptcp"; return as config_check(). */
int config_check_relay(struct reader *read, struct json_object *relay);
