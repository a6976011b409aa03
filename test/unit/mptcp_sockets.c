/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sockets that the kernel does not list: what is missing is among the problems of a snapshot. */
#include <libmnl/libmnl.h>

#include "unit.h"
#include "base/cleanup.h"
#include "mptcp/snapshot/snapshot.h"

DEFINE_CLEANUP(nvme_mptcp_snapshot_t, nvme_mptcp_snapshot_free);

/* What the kernel refuses: to open a socket, or to take a request. */
static struct {
	int open, send;
} refused;

static char sock;

struct mnl_socket *mnl_socket_open2(int bus, int flags)
{
	errno = refused.open;
	return refused.open ? NULL : (struct mnl_socket *)&sock;
}

int mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid)
{
	return 0;
}

int mnl_socket_setsockopt(const struct mnl_socket *nl, int type, void *buf, socklen_t len)
{
	return 0;
}

int mnl_socket_get_fd(const struct mnl_socket *nl)
{
	return -1;
}

unsigned int mnl_socket_get_portid(const struct mnl_socket *nl)
{
	return 1;
}

int mnl_socket_close(struct mnl_socket *nl)
{
	return 0;
}

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *buf, size_t len)
{
	assert_int_not_equal(refused.send, 0);
	errno = refused.send;
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
	refused.open = 0;
	refused.send = EPERM;
	expect_problem(EPERM, strerror(EPERM));
	refused.send = ENOENT;
	expect_problem(EOPNOTSUPP, "modprobe mptcp_diag");
}

TEST(no_netlink_is_reported)
{
	refused.open = EPROTONOSUPPORT;
	expect_problem(EPROTONOSUPPORT, strerror(EPROTONOSUPPORT));
}
