// SPDX-License-Identifier: GPL-2.0-or-later
#include <endian.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "portal.h"

#define MAX_PORTALS 256 /* tried at the same time; each is a descriptor */
#define PATIENCE 1000 /* milliseconds */

enum answer {
	ANSWERED,
	UNKNOWN, /* not an IP transport, or one portal too many */
	SILENT,
};

struct portal {
	const struct nvmf_disc_log_entry *entry; /* the first one with this portal */
	enum answer answer;
};

struct probe {
	const struct discover_args *args;
	struct portal portals[MAX_PORTALS];
	struct pollfd sockets[MAX_PORTALS];
	size_t n;
};

static void close_sockets(struct probe *probe)
{
	for (size_t i = 0; i < probe->n; i++)
		if (probe->sockets[i].fd >= 0)
			close(probe->sockets[i].fd);
}

static bool is_probed(const struct nvmf_disc_log_entry *e)
{
	return nvmf_transport_has(nvmf_trtype_str(e->trtype), NVMF_TRANSPORT_IP) && *e->traddr &&
	       *e->trsvcid && e->subtype != NVME_NQN_CURR;
}

static struct addrinfo *numeric(const char *host, const char *service)
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
		.ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *address;

	return getaddrinfo(host, service, &hints, &address) ? NULL : address;
}

DEFINE_CLEANUP(struct addrinfo *, freeaddrinfo);

/* Starts from where the kernel's connections will start. */
static int bind_host_side(int fd, const struct fabrics_args *args)
{
	_cleanup_(freeaddrinfo) struct addrinfo *address = NULL;

	if (args->host_iface && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, args->host_iface,
					   (socklen_t)strlen(args->host_iface)))
		return -errno;
	if (!args->host_traddr)
		return 0;
	address = numeric(args->host_traddr, NULL);
	if (!address || bind(fd, address->ai_addr, address->ai_addrlen))
		return -EADDRNOTAVAIL;
	return 0;
}

/* Starts to connect. A descriptor to wait for, or -1 with *answer. */
static int start(const struct probe *probe, const struct nvmf_disc_log_entry *e,
		 enum answer *answer)
{
	_cleanup_(freeaddrinfo) struct addrinfo *address = numeric(e->traddr, e->trsvcid);
	int fd;

	*answer = UNKNOWN;
	if (!address)
		return -1;
	fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (!bind_host_side(fd, &probe->args->fabrics)) {
		if (!connect(fd, address->ai_addr, address->ai_addrlen)) {
			*answer = ANSWERED;
		} else if (errno == EINPROGRESS) {
			*answer = SILENT;
			return fd;
		} else {
			*answer = SILENT;
		}
	}
	close(fd);
	return -1;
}

static struct portal *find(struct probe *probe, const struct nvmf_disc_log_entry *e)
{
	for (size_t i = 0; i < probe->n; i++) {
		const struct nvmf_disc_log_entry *known = probe->portals[i].entry;

		if (!strcmp(known->traddr, e->traddr) && !strcmp(known->trsvcid, e->trsvcid))
			return &probe->portals[i];
	}
	return NULL;
}

static void add(struct probe *probe, const struct nvmf_disc_log_entry *e)
{
	probe->portals[probe->n] = (struct portal){ .entry = e, .answer = UNKNOWN };
	probe->sockets[probe->n] = (struct pollfd){ .fd = -1, .events = POLLOUT };
	probe->n++;
}

static long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Calls all portals and waits until each has answered or patience ends. */
static void call_portals(struct probe *probe)
{
	long end = now() + PATIENCE, left = PATIENCE;
	size_t waiting = 0;

	for (size_t i = 0; i < probe->n; i++) {
		struct portal *portal = &probe->portals[i];

		probe->sockets[i].fd = start(probe, portal->entry, &portal->answer);
		waiting += probe->sockets[i].fd >= 0;
	}
	for (; waiting && left > 0; left = end - now()) {
		if (poll(probe->sockets, probe->n, (int)left) < 0 && errno != EINTR)
			return;
		for (size_t i = 0; i < probe->n; i++) {
			socklen_t size = sizeof(int);
			int err = 0;

			if (probe->sockets[i].fd < 0 || !probe->sockets[i].revents)
				continue;
			getsockopt(probe->sockets[i].fd, SOL_SOCKET, SO_ERROR, &err, &size);
			probe->portals[i].answer = err ? SILENT : ANSWERED;
			close(probe->sockets[i].fd);
			probe->sockets[i].fd = -1;
			waiting--;
		}
	}
}

/* Those with @answer, in the order of the log, go to @order from @n on. */
static size_t pick(struct probe *probe, const struct nvmf_discovery_log *log, enum answer answer,
		   size_t *order, size_t n)
{
	for (size_t i = 0; i < le64toh(log->numrec); i++) {
		const struct nvmf_disc_log_entry *e = &log->entries[i];
		const struct portal *portal = is_probed(e) ? find(probe, e) : NULL;

		if ((portal ? portal->answer : UNKNOWN) == answer)
			order[n++] = i;
	}
	return n;
}

size_t *portal_order(const struct discover_args *args, const struct nvmf_discovery_log *log)
{
	size_t numrec = le64toh(log->numrec), n = 0;
	size_t *order = malloc((numrec + 1) * sizeof(*order));
	_cleanup_(free) struct probe *probe = calloc(1, sizeof(*probe));

	if (!order || !probe) {
		free(order);
		return NULL;
	}
	probe->args = args;
	for (size_t i = 0; i < numrec && probe->n < MAX_PORTALS; i++)
		if (is_probed(&log->entries[i]) && !find(probe, &log->entries[i]))
			add(probe, &log->entries[i]);
	/* A single portal delays no other. */
	if (probe->n > 1)
		call_portals(probe);
	for (int answer = ANSWERED; answer <= SILENT; answer++)
		n = pick(probe, log, (enum answer)answer, order, n);
	close_sockets(probe);
	return order;
}
