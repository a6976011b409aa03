// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The queues that a controller shows in its attribute queue_addrs, which kernel/README.md proposes.
 * Without that attribute, addresses and records decide which controller a connection belongs to.
 */
#include <pthread.h>

#include "base/sysfs.h"
#include "queues.h"

/* "10.1.1.1:4420", "[fd00::1]:4420" */
static int parse_end(char *text, struct socket_address *ret)
{
	char *colon = strrchr(text, ':');
	struct in6_addr ip;
	int64_t port;

	if (!colon || str_parse_int(colon + 1, 1, UINT16_MAX, &port))
		return -EBADMSG;
	*colon = '\0';
	if (address_parse_ip(text, &ip))
		return -EBADMSG;
	*ret = (struct socket_address){ ip, (uint16_t)port };
	return 0;
}

/* Ignore words after the first three: later kernels may add some. */
static int parse_line(char *line, struct ctrl_queue *ret)
{
	char *rest = NULL;
	char *number = strtok_r(line, " ", &rest);
	char *local = strtok_r(NULL, " ", &rest);
	char *remote = strtok_r(NULL, " ", &rest);
	int64_t id;

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

static int by_ends(const void *a, const void *b)
{
	const struct ctrl_queue *x = ((const struct shown_queue *)a)->ends;
	const struct ctrl_queue *y = ((const struct shown_queue *)b)->ends;

	return address_port_compare(&x->remote, &y->remote)
		       ?: address_port_compare(&x->local, &y->local);
}

int ctrl_queues_index(const struct nvme_mptcp_snapshot *snap, struct shown_queues *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < snap->n_ctrls; i++)
		n += snap->ctrls[i].n_queues;
	ret->n = 0;
	ret->queue = calloc(n + 1, sizeof(*ret->queue));
	if (!ret->queue)
		return -ENOMEM;
	for (size_t i = 0; i < snap->n_ctrls; i++)
		for (size_t j = 0; j < snap->ctrls[i].n_queues; j++)
			ret->queue[ret->n++] =
				(struct shown_queue){ &snap->ctrls[i].queues[j], &snap->ctrls[i] };
	qsort(ret->queue, ret->n, sizeof(*ret->queue), by_ends);
	return 0;
}

struct nvme_mptcp_ctrl *ctrl_queues_owner(const struct shown_queues *shown,
					  const struct nvme_mptcp_connection *conn)
{
	const struct ctrl_queue ends = { conn->local, conn->remote };
	const struct shown_queue key = { &ends, NULL };
	const struct shown_queue *found =
		bsearch(&key, shown->queue, shown->n, sizeof(key), by_ends);

	return found ? found->ctrl : NULL;
}

/* Hash sum of the kernel's connections to one portal. */
struct portal_sockets {
	struct socket_address portal;
	uint64_t sum;
};

/* Return a hash of the socket. Sums of it do not depend on the order of the sockets. */
static uint64_t hash_socket(const struct nvme_mptcp_connection *conn)
{
	uint64_t sum = ((uint64_t)conn->token << 32 ^ conn->inode) + conn->local.port + 1;

	for (int i = 0; i < 3; i++) {
		sum ^= sum >> 31;
		sum *= 0x9e3779b97f4a7c15;
	}
	return sum;
}

static int by_portal(const void *a, const void *b)
{
	return address_port_compare(a, b);
}

/* Connections to one portal are adjacent, see snapshot_join(). */
static int sum_portals(struct nvme_mptcp_snapshot *snap)
{
	struct portal_sockets *last = NULL;

	for (size_t i = 0; i < snap->n_connections; i++) {
		const struct nvme_mptcp_connection *conn = &snap->connections[i];

		if (conn->pid > 0)
			continue;
		if (!last || by_portal(&last->portal, &conn->remote)) {
			last = array_add(&snap->portals, &snap->n_portals, sizeof(*last));
			if (!last)
				return -ENOMEM;
			last->portal = conn->remote;
		}
		last->sum += hash_socket(conn);
	}
	return 0;
}

static int sockets_of(struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_ctrl *ctrl,
		      uint64_t *ret)
{
	const struct portal_sockets *found = NULL;
	int err = snap->portals ? 0 : sum_portals(snap);

	if (err)
		return err;
	if (ctrl->has_portal && snap->portals)
		found = bsearch(&ctrl->portal, snap->portals, snap->n_portals, sizeof(*found),
				by_portal);
	*ret = found ? found->sum : 0;
	return 0;
}

/*
 * The kernel's answer for the sockets of a controller. It is cached until the controller is
 * replaced or seen in another state than live, or the connections to its portal change, as after a
 * reconnection. A program that takes a snapshot every second then does not read the attribute every
 * second; sysfs-lock.h says why it must not.
 */
struct answer {
	struct stat dir;
	char cntlid[16];
	uint64_t sockets;
	char *queues; /* the attribute queue_addrs; NULL if the kernel has none */
	char *src_addr;
};

static pthread_mutex_t answers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct map *answers; /* key: root of /sys, network namespace and controller */

static void answer_clear(struct answer *answer)
{
	free(answer->queues);
	free(answer->src_addr);
	*answer = (struct answer){};
}

/* Get the local address of queue 0, "0 [fe80::2%eth0]:1 …": src_addr in the attribute address. */
static int take_source(const char *queues, char **ret)
{
	const char *address = queues + 2;
	size_t len = strcspn(address, " \n");

	if (strncmp(queues, "0 ", 2) != 0)
		return 0;
	while (len && address[len - 1] != ':')
		len--;
	len -= len > 0;
	if (*address == '[') {
		address++;
		len = strcspn(address, "]%");
	}
	*ret = strndup(address, len);
	return *ret ? 0 : -ENOMEM;
}

static int take_src_addr(int dirfd, char **ret)
{
	_cleanup_(free) char *address = NULL;
	int err = sysfs_read_at(dirfd, "address", &address);
	const char *value;
	size_t len;

	if (err)
		return err;
	value = address_value(address, "src_addr", &len);
	if (!value)
		return 0;
	*ret = strndup(value, strcspn(value, "%,") < len ? strcspn(value, "%,") : len);
	return *ret ? 0 : -ENOMEM;
}

static int read_socket_attrs(int dirfd, struct answer *answer)
{
	int err = sysfs_read_long(dirfd, "queue_addrs", &answer->queues);

	if (err == -ENOENT)
		return take_src_addr(dirfd, &answer->src_addr);
	return err ?: take_source(answer->queues, &answer->src_addr);
}

static bool is_answer_current(const struct answer *answer, const struct answer *now)
{
	return answer->dir.st_ino == now->dir.st_ino && answer->dir.st_dev == now->dir.st_dev &&
	       answer->sockets == now->sockets && !strcmp(answer->cntlid, now->cntlid);
}

static int find_answer(const char *key, struct answer **ret)
{
	struct answer *answer = map_get(answers, key);

	if (!answers)
		answers = map_new(16);
	if (!answer && answers) {
		answer = calloc(1, sizeof(*answer));
		if (answer && map_put(answers, key, answer)) {
			free(answer);
			answer = NULL;
		}
	}
	*ret = answer;
	return answer ? 0 : -ENOMEM;
}

static int apply_answer(struct nvme_mptcp_ctrl *ctrl, const struct answer *answer)
{
	int err = str_set(&ctrl->src_addr, answer->src_addr);

	if (!err && answer->queues) {
		err = ctrl_queues_parse(answer->queues, &ctrl->queues, &ctrl->n_queues);
		ctrl->shows_queues = !err;
	}
	return err;
}

static int read_cached_sockets(struct nvme_mptcp_ctrl *ctrl, int dirfd, const char *key,
			       struct answer *now)
{
	struct answer *answer;
	int err = find_answer(key, &answer);

	if (err)
		return err;
	if (!is_answer_current(answer, now)) {
		answer_clear(answer);
		err = ctrl_state_is_live(ctrl) ? read_socket_attrs(dirfd, now) : -ENOTCONN;
		if (err) {
			answer_clear(now);
			return err;
		}
		*answer = *now;
	}
	return apply_answer(ctrl, answer);
}

int ctrl_sockets_read(struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_ctrl *ctrl, int dirfd)
{
	_cleanup_(free) char *key = NULL;
	struct answer now = {};
	int err = sockets_of(snap, ctrl, &now.sockets);

	if (err)
		return err;
	key = str_format("%s %" PRIu64 " %s", sysfs_root(), snap->netns_id, ctrl->name);
	if (!key)
		return -ENOMEM;
	if (fstat(dirfd, &now.dir))
		return 0;
	if (sysfs_read_buf(dirfd, "cntlid", now.cntlid, sizeof(now.cntlid)) < 0)
		*now.cntlid = '\0';
	/* Forces a new read: answers are valid for a live controller only. */
	if (!ctrl_state_is_live(ctrl))
		now.dir.st_ino = 0;
	pthread_mutex_lock(&answers_lock);
	err = read_cached_sockets(ctrl, dirfd, key, &now);
	pthread_mutex_unlock(&answers_lock);
	/* The controller is connecting and shows no queue yet. */
	if (err == -ENOTCONN)
		ctrl->shows_queues = sysfs_exists(dirfd, "queue_addrs");
	/* The attribute does not exist, or the controller has vanished. */
	if (!err || err == -ENOTCONN || err == -ENOENT || err == -ENODEV || err == -ENOMEM)
		return err == -ENOMEM ? err : 0;
	problem_set(snap, NVME_MPTCP_CONTROLLERS, err, "%s/queue_addrs: %s", ctrl->name,
		    err == -EBADMSG ? "not a list of queues"
		    : err == -EBUSY ? "another program reads it all the time"
				    : strerror(-err));
	return 0;
}
