/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the files that read a report. */
#pragma once

#include "peer.h"

struct reader;
struct json_object;

int peer_parse_document(struct reader *r, struct json_object *top, struct nvme_mptcp_peer *peer);

/* peer-findings.c: the list below the member "findings" of a report. */
int peer_parse_findings(struct reader *r, struct json_object *findings,
			struct nvme_mptcp_peer *peer);
void peer_clear_findings(struct nvme_mptcp_peer *peer);

/* Controllers, connections, subflows; connected as those of a snapshot that was taken here. */
int peer_parse_connections(struct reader *r, struct json_object *snapshot,
			   struct nvme_mptcp_snapshot *snap);

/* What counters were @grown ago, or are if it is NULL. */
int peer_parse_counters(struct reader *r, struct json_object *now, struct json_object *grown,
			struct counters *ret);
