// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a controller shows of its queues: the attribute queue_addrs, which test/lab/kernel/README.md
 * proposes. Where the kernel has none, addresses and records decide whose a connection is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/str.h"
#include "base/sysfs.h"
#include "snapshot.h"

/* "10.1.1.1:4420", "[fd00::1]:4420" */
static int parse_end(char *text, struct socket_address *ret)
{
	char *colon = strrchr(text, ':');
	struct in6_addr ip;
	long port;

	if (!colon || str_parse_int(colon + 1, 1, UINT16_MAX, &port))
		return -EBADMSG;
	*colon = '\0';
	if (address_parse_ip(text, &ip))
		return -EBADMSG;
	*ret = (struct socket_address){ ip, (uint16_t)port };
	return 0;
}

/* Words behind the three that there are today are a later kernel's. */
static int parse_line(char *line, struct ctrl_queue *ret)
{
	char *rest = NULL;
	char *number = strtok_r(line, " ", &rest);
	char *local = strtok_r(NULL, " ", &rest);
	char *remote = strtok_r(NULL, " ", &rest);
	long id;

	if (!remote || str_parse_int(number, 0, UINT16_MAX, &id) || parse_end(local, &ret->local))
		return -EBADMSG;
	return parse_end(remote, &ret->remote);
}

int ctrl_queues_parse(const char *text, struct ctrl_queue **ret, size_t *n)
{
	_cleanup_(free) char *copy = strdup(text);
	_cleanup_(free) struct ctrl_queue *queues = NULL;
	char *rest = NULL;
	size_t count = 0;

	if (!copy)
		return memory_noted(-ENOMEM);
	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct ctrl_queue *queue = array_add(&queues, &count, sizeof(*queue));
		int err = queue ? parse_line(line, queue) : -ENOMEM;

		if (err)
			return err;
	}
	*ret = steal_ptr(&queues);
	*n = count;
	return 0;
}

int ctrl_queues_read(struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_ctrl *ctrl, int dirfd)
{
	_cleanup_(free) char *text = NULL;
	int err = sysfs_read_long(dirfd, "queue_addrs", &text);

	if (!err)
		err = ctrl_queues_parse(text, &ctrl->queues, &ctrl->n_queues);
	ctrl->shows_queues = !err;
	/* No such attribute, or no such controller any more. */
	if (!err || err == -ENOENT || err == -ENODEV || err == -ENOMEM)
		return err == -ENOMEM ? err : 0;
	problem_set(snap, NVME_MPTCP_CONTROLLERS, err, "%s/queue_addrs: %s", ctrl->name,
		    err == -EBADMSG ? "not a list of queues" : strerror(-err));
	return 0;
}
