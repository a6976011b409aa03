/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sockets that the kernel does not list: what is missing is among the problems of a snapshot. */
#include "mptcp_no_socket.h"

static int refused; /* why a request is */

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *buf, size_t len)
{
	errno = refused;
	return -1;
}

static void expect_problem(int err, const char *words)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = snapshot_new();
	const char *problem;

	assert_int_equal(diag_read(snap), 0);
	assert_int_equal(nvme_mptcp_snapshot_errno(snap, NVME_MPTCP_CONNECTIONS), err);
	problem = nvme_mptcp_snapshot_problem(snap, NVME_MPTCP_CONNECTIONS);
	assert_non_null(problem);
	assert_non_null(strstr(problem, "MPTCP sockets"));
	assert_non_null(strstr(problem, words));
	assert_int_equal(snap->n_connections, 0);
}

TEST(a_failed_dump_is_reported)
{
	refused = EPERM;
	expect_problem(EPERM, strerror(EPERM));
	refused = ENOENT;
	expect_problem(EOPNOTSUPP, "modprobe mptcp_diag");
}

TEST(no_netlink_is_reported)
{
	no_socket_errno = EPROTONOSUPPORT;
	expect_problem(EPROTONOSUPPORT, strerror(EPROTONOSUPPORT));
}
