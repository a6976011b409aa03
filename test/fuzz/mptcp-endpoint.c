/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Datagrams of the path manager: families, endpoints, limits, events. */
#include "mptcp/monitor/event-message.h"
#include "mptcp/snapshot/pm.h"
#include "mptcp/snapshot/snapshot.h"
#include "fuzz.h"

static int take(const struct nlmsghdr *nlh, void *arg)
{
	struct nvme_mptcp_endpoint ep;
	struct genl_family family;
	struct nvme_mptcp_event ev;
	struct pm_limits limits;

	if (!event_parse(nlh, &ev))
		free(nvme_mptcp_event_to_json(&ev));
	if (!pm_parse_endpoint(nlh, &ep) && (!ep.id || !*ep.address))
		abort();
	pm_parse_family(nlh, &family);
	return pm_parse_limits(nlh, &limits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nl_reply reply = { .seq = 7, .portid = 4242, .fn = take };
	/* The kernel's messages are aligned; and reads beyond the end are to be noticed. */
	void *copy = fuzz_copy(data, size);

	nl_parse(copy, size, &reply);
	free(copy);
	return 0;
}
