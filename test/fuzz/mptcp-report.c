/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The report of the other side, and the rules on what it holds. */
#include <errno.h>

#include "mptcp/report/peer.h"
#include "fuzz.h"

/* This machine's kernel says the same each time. */
static int route(struct check *c, const struct in6_addr *src, int ifindex,
		 const struct in6_addr *dst, struct route_answer *ret)
{
	if (!ifindex && (!src || dst->s6_addr[15] & 1))
		return -ENETUNREACH;
	*ret = (struct route_answer){ .ifindex = ifindex ? ifindex : 1, .hop = *dst };
	return 0;
}

static int64_t setting(struct check *c, const char *path)
{
	return 1;
}

static uint32_t limit_max(struct check *c)
{
	return 8;
}

static const struct check_ops ops = { .route = route, .setting = setting, .limit_max = limit_max };

/* Both roles, against a machine of which nothing is known. */
static void judge(struct nvme_mptcp_peer *peer, unsigned int role)
{
	struct nvme_mptcp_findings *findings = calloc(1, sizeof(*findings));
	struct check c = {
		.snap = snapshot_new(), .findings = findings, .ops = &ops, .role = role
	};

	if (!peer_check(&c, peer))
		free(nvme_mptcp_findings_to_json(findings, false));
	check_clear(&c);
	nvme_mptcp_snapshot_free(c.snap);
	nvme_mptcp_findings_free(findings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nvme_mptcp_peer *peer = NULL;
	char *error = NULL;

	if (!peer_parse("peer.json", (const char *)data, size, &peer, &error)) {
		judge(peer, ON_HOST);
		judge(peer, ON_TARGET);
	}
	nvme_mptcp_peer_free(peer);
	free(error);
	return 0;
}
