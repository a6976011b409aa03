// SPDX-License-Identifier: LGPL-2.1-or-later
/* Takes the lock of a keeper, and finds its holder. */
#include <sys/socket.h>
#include <sys/un.h>

#include "base/failure.h"
#include "keep-lock.h"

/* Number of names. If users take all of them, keepers run, but do not detect each other. */
#define NAMES 8

static int new_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

/* "\0nvme-mptcp-keep-0" */
static socklen_t name_of(unsigned int i, struct sockaddr_un *ret)
{
	int length;

	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	length = snprintf(ret->sun_path + 1, sizeof(ret->sun_path) - 1, "nvme-mptcp-keep-%u", i);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

/* Take the first free name. Return its number, NAMES if none is free, or -errno. */
static int take_name(int fd)
{
	for (unsigned int i = 0; i < NAMES; i++) {
		struct sockaddr_un name;
		socklen_t length = name_of(i, &name);

		if (!bind(fd, (const struct sockaddr *)&name, length))
			return listen(fd, SOMAXCONN) ? -errno : (int)i;
		if (errno != EADDRINUSE)
			return -errno;
	}
	return NAMES;
}

/* Get the owner of a name. Return 0, -ECONNREFUSED if free, -EAGAIN if busy, or other -errno. */
static int ask_owner(unsigned int i, struct ucred *ret)
{
	_cleanup_(close) int fd = new_socket();
	socklen_t length, size = sizeof(*ret);
	struct sockaddr_un name;

	if (fd < 0)
		return fd;
	length = name_of(i, &name);
	if (connect(fd, (const struct sockaddr *)&name, length) ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, ret, &size))
		return -errno;
	return 0;
}

/* Look for other owners of the names. Return 0, -EBUSY with @holder, or other -errno. */
static int look_for_others(struct keep_lock *lock, unsigned int own, pid_t *holder)
{
	for (unsigned int i = 0; i < NAMES; i++) {
		struct ucred owner;
		int err = i == own ? -ECONNREFUSED : ask_owner(i, &owner);

		if (err && err != -ECONNREFUSED && err != -EAGAIN)
			return err;
		if (!err && (!owner.uid || owner.uid == geteuid())) {
			*holder = owner.pid;
			return -EBUSY;
		}
		/* Names are taken in order: a name before ours is taken even without a listener. */
		if (lock->squatter || (err && i > own) || i == own)
			continue;
		lock->is_squatted = true;
		lock->squatter = err ? 0 : owner.pid;
		lock->squatter_uid = err ? (uid_t)-1 : owner.uid;
	}
	return 0;
}

int keep_lock_take(struct keep_lock *lock, pid_t *holder)
{
	struct keep_lock taken = { .fd = new_socket(), .squatter_uid = (uid_t)-1 };
	int own = taken.fd < 0 ? taken.fd : take_name(taken.fd), err;

	err = own < 0 ? own : look_for_others(&taken, (unsigned int)own, holder);
	if (err || own == NAMES)
		keep_lock_release(&taken);
	if (!err)
		*lock = taken;
	return err;
}

bool keep_lock_is_held(void)
{
	struct ucred owner;

	for (unsigned int i = 0; i < NAMES; i++)
		if (!ask_owner(i, &owner) && (!owner.uid || owner.uid == geteuid()))
			return true;
	return false;
}

void keep_lock_answer(const struct keep_lock *lock)
{
	int fd;

	while (lock->fd >= 0 && (fd = accept4(lock->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0)
		close(fd);
}

void keep_lock_release(struct keep_lock *lock)
{
	if (lock->fd >= 0)
		close(lock->fd);
	lock->fd = -1;
}

void keep_lock_report_busy(const char *netns, pid_t holder)
{
	char who[32] = "another process";

	if (holder)
		snprintf(who, sizeof(who), "process %d", (int)holder);
	failure_note(-EBUSY,
		     "%s already runs keep in the network namespace %s, and two would "
		     "undo each other's changes",
		     who, netns ? netns : "of this process");
}
