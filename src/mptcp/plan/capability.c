// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finds kernel properties that no netlink reply contains, by trying them in a temporary network
 * namespace. Kernels accept endpoint flags that they do not know, and drop them or keep and show
 * them; those that support laminar endpoints count them in struct mptcp_info (net/mptcp/sockopt.c).
 * The size of the endpoint table shows when it is full (net/mptcp/pm_kernel.c, MPTCP_PM_ADDR_MAX),
 * and the highest limit when a higher one is refused.
 */
#include <sched.h>
#include <signal.h>
#include <pthread.h>
#include <sys/socket.h>

#include "steps.h"

#define LEVEL_MPTCP 284
#define OPTION_INFO 1 /* struct mptcp_info */

struct question {
	int err;
	struct capability has;
};

/* Kernels accept addresses that the machine does not have: 192.0.2.0/24 (RFC 5737). */
static int add_example(struct editor *e, uint32_t number)
{
	const struct endpoint_spec spec = {
		.ip.s6_addr32 = { 0, 0, htonl(0xffff), htonl(0xc0000200 + number) },
		.flags = NVME_MPTCP_ENDPOINT_LAMINAR,
	};

	return e->add(e, &spec);
}

static int ask_in_here(struct capability *ret)
{
	_cleanup_(close) int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_MPTCP);
	_cleanup_(editor_close) struct editor e = {};
	struct mptcp_info_wire info = {};
	socklen_t size = sizeof(info);
	int err;

	if (fd < 0)
		return -errno;
	err = editor_open(&e);
	if (!err)
		err = editor_limit_max(&e, NULL, &ret->limit_max);
	/* -ENODATA: some kernels refuse without naming their maximum. */
	if (!err || err == -ENODATA)
		err = add_example(&e, 1);
	if (err)
		return err;
	if (getsockopt(fd, LEVEL_MPTCP, OPTION_INFO, &info, &size))
		return -errno;
	ret->laminar = info.laminar_max == 1;
	for (ret->endpoints = 1; !err && ret->endpoints < ENDPOINTS_PROBE_MAX;
	     ret->endpoints += !err)
		err = add_example(&e, ret->endpoints + 1);
	return err == -ERANGE ? 0 : err;
}

static void *ask(void *arg)
{
	struct question *q = arg;

	q->err = memory_noted(unshare(CLONE_NEWNET) ? -errno : ask_in_here(&q->has));
	return NULL;
}

int plan_ask_capability(struct capability *ret)
{
	struct question q = {};
	sigset_t all, saved;
	pthread_t thread;
	int err;

	/* Block signals in the new thread, so that the caller's threads handle them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	err = pthread_create(&thread, NULL, ask, &q);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	if (err)
		return -err;
	pthread_join(thread, NULL);
	*ret = q.has;
	return q.err;
}
