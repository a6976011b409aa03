/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions shared by the files that read a report. */
#pragma once

#include "peer.h"

struct reader;
struct json_object;

int peer_parse_document(struct reader *r, struct json_object *top, struct nvme_mptcp_peer *peer);

/* In peer-findings.c: parse the list "findings" of a report. */
int peer_parse_findings(struct reader *r, struct json_object *findings,
			struct nvme_mptcp_peer *peer);
void peer_clear_findings(struct nvme_mptcp_peer *peer);

/* Parse controllers, connections and subflows, and link them as in a local snapshot. */
int peer_parse_connections(struct reader *r, struct json_object *snapshot,
			   struct nvme_mptcp_snapshot *snap);

/* Parse the counters in @now, minus their growth in @grown unless that is NULL. */
int peer_parse_counters(struct reader *r, struct json_object *now, struct json_object *grown,
			struct counters *ret);
