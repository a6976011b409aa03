/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Made-up controllers, connections and records, and whose is whose. */
#pragma once

#include "mptcp/snapshot/record.h"
#include "mptcp_messages.h"

DEFINE_CLEANUP(nvme_mptcp_snapshot_t, nvme_mptcp_snapshot_free);

#define KERNEL 0
#define PROCESS 4711

static inline struct in6_addr ip(const char *text)
{
	struct in6_addr result = { .s6_addr32 = { 0, 0, htonl(0xffff), 0 } };

	if (inet_pton(AF_INET, text, &result.s6_addr32[3]) != 1)
		assert_int_equal(inet_pton(AF_INET6, text, &result), 1);
	return result;
}

static inline struct nvme_mptcp_ctrl *add_ctrl(struct nvme_mptcp_snapshot *snap, const char *name,
					       const char *traddr, uint16_t port,
					       const char *source, const char *iface, int expected)
{
	struct nvme_mptcp_ctrl *ctrl = array_add(&snap->ctrls, &snap->n_ctrls, sizeof(*ctrl));

	assert_non_null(ctrl);
	ctrl->name = strdup(name);
	ctrl->transport = strdup("mptcp");
	ctrl->traddr = strdup(traddr);
	ctrl->portal.ip = ip(traddr);
	ctrl->portal.port = port;
	ctrl->has_portal = true;
	ctrl->expected = expected;
	if (source) {
		ctrl->source = ip(source);
		ctrl->has_source = true;
	}
	ctrl->host_iface = iface ? strdup(iface) : NULL;
	return ctrl;
}

static uint32_t next_inode = 1;

static inline struct nvme_mptcp_connection *add_connection(struct nvme_mptcp_snapshot *snap,
							   const char *local, const char *remote,
							   uint16_t port, uint32_t token,
							   int64_t pid)
{
	struct nvme_mptcp_connection *conn =
		array_add(&snap->connections, &snap->n_connections, sizeof(*conn));

	assert_non_null(conn);
	conn->local = (struct socket_address){ ip(local), (uint16_t)(40000 + token) };
	conn->remote = (struct socket_address){ ip(remote), port };
	conn->token = token;
	conn->has_token = true;
	conn->inode = next_inode++;
	conn->state = STATE_ESTABLISHED;
	conn->pid = pid;
	return conn;
}

static inline void settle(struct nvme_mptcp_snapshot *snap)
{
	assert_int_equal(snapshot_join(snap), 0);
	assert_int_equal(snapshot_attribute(snap), 0);
	assert_int_equal(snapshot_sum(snap), 0);
}

static inline size_t found(const struct nvme_mptcp_snapshot *snap, size_t i)
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
