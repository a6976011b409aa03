/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Made-up controllers, connections and records, and whose is whose. */
#pragma once

#include "mptcp/snapshot/record.h"
#include "mptcp_messages.h"

static nvme_mptcp_snapshot_t snap; /* of the test that runs, empty when it begins */

static int set_up(void **state)
{
	snap = snapshot_new();
	return snap ? 0 : -1;
}

static int tear_down(void **state)
{
	nvme_mptcp_snapshot_free(snap);
	return 0;
}

EACH_TEST(set_up, tear_down)

#define KERNEL 0
#define PROCESS 4711

static inline struct nvme_mptcp_ctrl *add_ctrl(const char *name, const char *traddr, uint16_t port,
					       const char *source, const char *iface, int expected)
{
	struct nvme_mptcp_ctrl *ctrl = new_ctrl(snap, name, traddr, port, expected);

	ctrl->traddr = strdup(traddr);
	if (source) {
		ctrl->source = ip(source);
		ctrl->has_source = true;
	}
	ctrl->host_iface = iface ? strdup(iface) : NULL;
	return ctrl;
}

static uint32_t next_inode = 1;

static inline struct nvme_mptcp_connection *add_connection(const char *local, const char *remote,
							   uint16_t port, uint32_t token,
							   int64_t pid)
{
	struct nvme_mptcp_connection *conn = new_connection(snap, local, remote, port, token);

	conn->inode = next_inode++;
	conn->pid = pid;
	return conn;
}

static inline size_t found(size_t i)
{
	return nvme_mptcp_set_count(nvme_mptcp_ctrl_connections(&snap->ctrls[i]));
}

static inline void remove_records(const char *dir)
{
	char path[64];

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/nvme%d", dir, i);
		unlink(path);
	}
	/* Nothing else was left there. */
	assert_int_equal(rmdir(dir), 0);
}

static inline void write_record(const char *dir, const char *ctrl, const char *nqn, uint32_t first,
				int n)
{
	uint32_t tokens[8];
	struct record record = { 4711, (char *)nqn, tokens, (size_t)n };

	for (int i = 0; i < n; i++)
		tokens[i] = first + (uint32_t)i;
	assert_int_equal(record_write(dir, ctrl, &record), 0);
}
