// SPDX-License-Identifier: LGPL-2.1-or-later
/* Run a function in another network namespace, on a short-lived thread. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/failure.h"
#include "base/pause.h"
#include "netns.h"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71 /* Linux 5.14 */
#endif

struct visit {
	const char *netns;
	int fd;
	int (*fn)(void *arg);
	void *arg;
	const struct pause_service *service; /* of the calling thread, for pauses of the new one */
	int result;
	struct failure failure; /* message of the new thread */
};

/* Return a descriptor of @netns, or -errno. */
static int open_namespace(const char *netns)
{
	char path[PATH_MAX];
	int fd;

	if (!*netns || !strcmp(netns, ".") || !strcmp(netns, ".."))
		return -EINVAL;
	if (snprintf(path, sizeof(path), "%s%s", strchr(netns, '/') ? "" : "/run/netns/", netns) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static int refuse_namespace(const char *netns, int err)
{
	return failure_note(-err, "network namespace %s: %s%s", netns,
			    err == EINVAL ? "not a network namespace" : strerror(err),
			    err == ENOENT || err == EINVAL ? " (ip netns lists the names)"
			    : err == EPERM || err == EACCES
				    ? " (entering one requires CAP_SYS_ADMIN)"
				    : "");
}

static void *visit(void *arg)
{
	struct visit *v = arg;

	pause_set_service(v->service);
	v->result = setns(v->fd, CLONE_NEWNET) ? refuse_namespace(v->netns, errno) : v->fn(v->arg);
	failure_get(&v->failure);
	return NULL;
}

int netns_run(const char *netns, int (*fn)(void *arg), void *arg)
{
	struct visit v = { .netns = netns, .fn = fn, .arg = arg };
	_cleanup_(close) int fd = -1;
	sigset_t all, saved;
	pthread_t thread;
	int err;

	if (!netns)
		return fn(arg);
	fd = open_namespace(netns);
	if (fd < 0)
		return refuse_namespace(netns, -fd);
	v.fd = fd;
	v.service = pause_set_service(NULL);
	pause_set_service(v.service);
	/* Block signals in the new thread: the caller's threads handle them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	err = pthread_create(&thread, NULL, visit, &v);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	if (err)
		return -err;
	pthread_join(thread, NULL);
	if (v.failure.err)
		failure_put(&v.failure);
	return v.result;
}

uint64_t netns_id(void)
{
	struct stat st;

	/* /proc/self shows the namespace of the process, not of the thread. */
	return stat("/proc/thread-self/ns/net", &st) ? 0 : st.st_ino;
}

uint64_t netns_cookie(void)
{
	_cleanup_(close) int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(uint64_t);
	uint64_t cookie;

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size))
		return netns_id();
	return cookie;
}
