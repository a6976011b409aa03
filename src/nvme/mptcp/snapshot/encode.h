/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pieces of JSON that more than one document has. */
#ifndef NVME_MPTCP_ENCODE_H
#define NVME_MPTCP_ENCODE_H

#include "json-stream.h"
#include "mptcp.h"

/* A snapshot, as nvme_mptcp_snapshot_to_json() has it. */
void encode_snapshot(struct json_stream *s, const char *key, nvme_mptcp_snapshot_t snap,
		     unsigned int what, const char *const *ctrls);

void encode_subflow(struct json_stream *s, const struct nvme_mptcp_subflow *sf);

/* Findings, as nvme_mptcp_findings_to_json() has them. */
void encode_findings(struct json_stream *s, const char *key, nvme_mptcp_findings_t findings);

#endif /* NVME_MPTCP_ENCODE_H */
