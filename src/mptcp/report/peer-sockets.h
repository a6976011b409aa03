/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions shared by the files that read a report. */
#pragma once

#include "peer.h"

struct peer_reader;
struct json_object;

int peer_parse_document(struct peer_reader *r, struct json_object *top,
			struct nvme_mptcp_peer *peer);

/* In peer-findings.c: parse the list "findings" of a report. */
void peer_parse_findings(struct peer_reader *r, struct json_object *findings,
			 struct nvme_mptcp_peer *peer);
void peer_clear_findings(struct nvme_mptcp_peer *peer);

/* Parse controllers, connections and subflows, and link them as in a local snapshot. */
void peer_parse_connections(struct peer_reader *r, struct json_object *snapshot,
			    struct nvme_mptcp_snapshot *snap);

/* Parse the counters in @now, minus their growth in @grown unless that is NULL. */
void peer_parse_counters(struct peer_reader *r, struct json_object *now, struct json_object *grown,
			 struct counters *ret);
