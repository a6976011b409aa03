// SPDX-License-Identifier: LGPL-2.1-or-later
/* Findings in a report. They are texts of another machine, which are only displayed. */
#include <errno.h>
#include <stdlib.h>

#include "peer-read.h"
#include "peer-sockets.h"

#define MAX_FINDINGS 65536
#define MAX_PEER_TEXT 65536

static void parse_finding(struct peer_reader *r, struct json_object *in, void *arg)
{
	static const char *const severities[] = { "info", "warning", "error" };
	struct nvme_mptcp_peer *peer = arg;
	const char *rule = peer_read_word(r, in, "rule", MUST, PEER_RULE - 1);
	const int severity = peer_read_choice(r, in, "severity", MUST, severities, 3);
	const char *subject, *why;
	struct peer_finding *added;

	if (!r->err && severity < 0)
		peer_fail(r, in, "the severity is info, warning or error");
	subject = peer_read_text(r, in, "subject", MUST, MAX_PEER_TEXT);
	why = peer_read_text(r, in, "why", MUST, MAX_PEER_TEXT);
	added = peer_add(r, in, &peer->findings, &peer->n_findings, sizeof(*added), MAX_FINDINGS,
			 "findings");
	if (!added)
		return;
	added->severity = (enum nvme_mptcp_severity)severity;
	str_copy(added->rule, sizeof(added->rule), rule, strlen(rule));
	peer_keep(r, &added->subject, subject);
	peer_keep(r, &added->why, why);
}

void peer_parse_findings(struct peer_reader *r, struct json_object *findings,
			 struct nvme_mptcp_peer *peer)
{
	peer_read_each(r, findings, "findings", MAY, parse_finding, peer);
}

void peer_clear_findings(struct nvme_mptcp_peer *peer)
{
	for (size_t i = 0; i < peer->n_findings; i++) {
		free(peer->findings[i].subject);
		free(peer->findings[i].why);
	}
	free(peer->findings);
}

const char *nvme_mptcp_peer_finding(nvme_mptcp_peer_t peer, size_t i, const char **severity,
				    const char **subject, const char **why)
{
	if (i >= peer->n_findings)
		return NULL;
	*severity = nvme_mptcp_severity_name(peer->findings[i].severity);
	*subject = peer->findings[i].subject;
	*why = peer->findings[i].why;
	return peer->findings[i].rule;
}

nvme_mptcp_snapshot_t nvme_mptcp_peer_snapshot(nvme_mptcp_peer_t peer)
{
	return peer->snap;
}
