// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a kernel does with flags that no answer of it names. Kernels keep and show endpoint flags
 * that they do not know, so the question is asked by an example, in a network namespace that ends
 * with it: struct mptcp_info counts laminar endpoints where they exist (net/mptcp/sockopt.c).
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "endpoint-edit.h"
#include "steps.h"
#include "mptcp/netlink/uapi.h"

#define LEVEL_MPTCP 284
#define OPTION_INFO 1 /* struct mptcp_info */

struct question {
	int err;
	bool laminar;
};

static int ask_in_here(bool *ret)
{
	/* 192.0.2.1 of RFC 5737: an endpoint's address need not be one of the machine's. */
	const struct endpoint_spec spec = {
		.ip.s6_addr32 = { 0, 0, htonl(0xffff), htonl(0xc0000201) },
		.flags = NVME_MPTCP_ENDPOINT_LAMINAR,
	};
	_cleanup_(close) int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_MPTCP);
	_cleanup_(editor_close) struct editor e = {};
	struct mptcp_info_wire info = {};
	socklen_t size = sizeof(info);
	int err;

	if (fd < 0)
		return -errno;
	err = editor_open(&e);
	if (!err)
		err = e.add(&e, &spec);
	if (err)
		return err;
	if (getsockopt(fd, LEVEL_MPTCP, OPTION_INFO, &info, &size))
		return -errno;
	*ret = info.laminar_max == 1;
	return 0;
}

static void *ask(void *arg)
{
	struct question *q = arg;

	q->err = unshare(CLONE_NEWNET) ? -errno : ask_in_here(&q->laminar);
	return NULL;
}

int plan_ask_laminar(bool *ret)
{
	struct question q = {};
	sigset_t all, saved;
	pthread_t thread;
	int err;

	/* Signals belong to the caller's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	err = pthread_create(&thread, NULL, ask, &q);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	if (err)
		return -err;
	pthread_join(thread, NULL);
	if (!q.err)
		*ret = q.laminar;
	return q.err;
}
