/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Datagrams of socket diagnosis: MPTCP sockets, TCP sockets with MPTCP data. */
#include "mptcp/netlink/nl.h"
#include "mptcp/snapshot/snapshot.h"
#include "fuzz.h"

static int take(const struct nlmsghdr *nlh, void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	struct nvme_mptcp_connection conn, *c;
	struct nvme_mptcp_subflow sf, *s;

	if (snap->n_connections > 64)
		return -ENOMEM;
	if (!diag_parse_connection(nlh, &conn)) {
		c = array_add(&snap->connections, &snap->n_connections, sizeof(conn));
		if (!c)
			return -ENOMEM;
		*c = conn;
	}
	if (!diag_parse_subflow(nlh, &sf)) {
		s = array_add(&snap->subflows, &snap->n_subflows, sizeof(sf));
		if (!s)
			return -ENOMEM;
		*s = sf;
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nvme_mptcp_snapshot *snap = snapshot_new();
	struct nl_reply reply = { .seq = 7, .portid = 4242, .fn = take, .arg = snap };
	void *copy = fuzz_copy(data, size);

	nl_parse(copy, size, &reply);
	if (!snapshot_join(snap) && !snapshot_attribute(snap) && !snapshot_sum(snap))
		free(nvme_mptcp_snapshot_to_json(snap, 0x1f, NULL));
	nvme_mptcp_snapshot_free(snap);
	free(copy);
	return 0;
}
