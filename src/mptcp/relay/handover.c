// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A relay that executes its program again leaves its sockets open. Each is recognized by the
 * address that it is bound to, so that a changed configuration takes over what it still needs. The
 * socket that owns the rules stays open until the rules of the new program exist: their tables have
 * different names.
 */
#include <dirent.h>
#include <sys/socket.h>
#include <linux/netlink.h>

#include "steering.h"

static int option_of(int fd, int name)
{
	int value = -1;
	socklen_t size = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, name, &value, &size) ? -1 : value;
}

/*
 * Return the netlink socket of libnftables, or -1. The library has no function for this, but
 * nothing else here has a socket of this protocol.
 */
static int find_owner(void)
{
	_cleanup_(closedir) DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const int fd = atoi(entry->d_name);

		if (*entry->d_name != '.' && option_of(fd, SO_DOMAIN) == AF_NETLINK &&
		    option_of(fd, SO_PROTOCOL) == NETLINK_NETFILTER)
			return fd;
	}
	return -1;
}

static int leave_open(struct nvme_mptcp_relay_handover *h, int fd)
{
	int *added;

	if (fcntl(fd, F_SETFD, 0))
		return -errno;
	added = array_add(&h->fds, &h->n, sizeof(*added));
	if (!added)
		return -ENOMEM;
	*added = fd;
	return 0;
}

int nvme_mptcp_relay_hand_over(nvme_mptcp_relay_t relay, struct nvme_mptcp_relay_handover *ret)
{
	struct nvme_mptcp_relay_handover h = { .round = relay->round + 1 };
	const int owner = relay->filter ? find_owner() : -1;
	int err = relay->filter && owner < 0 ? -EBADF : 0;

	failure_begin();
	for (size_t i = 0; !err && i < relay->n_listeners; i++)
		if (relay->listeners[i].fd >= 0)
			err = leave_open(&h, relay->listeners[i].fd);
	if (!err && owner >= 0)
		err = leave_open(&h, owner);
	if (!err && relay->lock >= 0)
		err = leave_open(&h, relay->lock);
	if (!err && relay->control >= 0)
		err = leave_open(&h, relay->control);
	if (err) {
		for (size_t i = 0; i < h.n; i++)
			fcntl(h.fds[i], F_SETFD, FD_CLOEXEC);
		free(h.fds);
		return failure_raise(err, "sockets of the relay");
	}
	*ret = h;
	return 0;
}

int nvme_mptcp_relay_take_over(nvme_mptcp_relay_t relay, const struct nvme_mptcp_relay_handover *h)
{
	int *fds = calloc(h->n + 1, sizeof(*fds));

	failure_begin();
	if (!fds)
		return failure_raise(-ENOMEM, "sockets of the relay");
	for (size_t i = 0; i < h->n; i++) {
		fds[i] = h->fds[i];
		fcntl(fds[i], F_SETFD, FD_CLOEXEC);
	}
	relay->inherited_fds = fds;
	relay->n_inherited = h->n;
	/* Those of the program before, which remain if this one cannot open. */
	relay->has_routes = h->n > 0;
	relay->round = h->round;
	return 0;
}

static int take_left(struct nvme_mptcp_relay *relay, size_t i)
{
	const int fd = relay->inherited_fds[i];

	relay->inherited_fds[i] = -1;
	return fd;
}

int relay_take_inherited(struct nvme_mptcp_relay *relay, const struct sockaddr *name,
			 socklen_t size, int protocol)
{
	struct sockaddr_storage own;

	for (size_t i = 0; i < relay->n_inherited; i++) {
		socklen_t length = sizeof(own);

		if (relay->inherited_fds[i] < 0 ||
		    option_of(relay->inherited_fds[i], SO_PROTOCOL) != protocol ||
		    option_of(relay->inherited_fds[i], SO_ACCEPTCONN) != 1 ||
		    getsockname(relay->inherited_fds[i], (struct sockaddr *)&own, &length))
			continue;
		/* The kernel may or may not count the NUL byte that ends a path. */
		if (own.ss_family == name->sa_family && length <= size &&
		    !memcmp(&own, name, length))
			return take_left(relay, i);
	}
	return -1;
}

void relay_close_inherited(struct nvme_mptcp_relay *relay)
{
	for (size_t i = 0; i < relay->n_inherited; i++)
		if (relay->inherited_fds[i] >= 0)
			close(relay->inherited_fds[i]);
	free(relay->inherited_fds);
	relay->inherited_fds = NULL;
	relay->n_inherited = 0;
}
