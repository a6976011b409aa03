/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <netdb.h>
#include <poll.h>
#include <search.h>
#include <sys/socket.h>

#include <libnvme.h>

#include "portal.h"
#include "shared/cleanup.h"
#include "shared/text.h"

#define MAX_PROBES 256 /* simultaneous connects, each using a descriptor */
#define DEFAULT_TIMEOUT_MS 1000 /* for each portal */
#define GRACE_MS 20 /* wait for further answers, added to the time that the first answer took */

struct portal {
	struct portal *next; /* next in list of all portals, next that waits to be probed */
	struct portal *next_unprobed;
	char *traddr, *trsvcid, *host_traddr, *host_iface;
	enum portal_answer answer;
	int err; /* errno of a silent portal that the network reported; else 0 */
	bool given_up;
	long end; /* time until which an answer is awaited, as now() counts */
};

struct portals {
	void *tree; /* portals by address, see tsearch(3) */
	struct portal *all;
	struct portal *first_unprobed, **last_unprobed; /* portals that wait for a descriptor */
	struct portal *probed[MAX_PROBES];
	struct pollfd sockets[MAX_PROBES];
	size_t n; /* number of entries in called and sockets */
	long silence_timeout; /* time to wait for each portal, in ms */
	unsigned int required_traits; /* traits that a transport needs to be probed */
};

static long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

struct portals *portals_new(unsigned int silence_timeout)
{
	struct portals *portals = calloc(1, sizeof(*portals));

	if (!portals)
		return NULL;
	portals->last_unprobed = &portals->first_unprobed;
	portals->silence_timeout = silence_timeout ? silence_timeout : DEFAULT_TIMEOUT_MS;
	/* With a time limit silence is failure: probe only TCP, as RDMA portals need not answer. */
	portals->required_traits =
		NVMF_TRANSPORT_IP | (silence_timeout ? NVMF_TRANSPORT_SRC_ADDR : 0);
	return portals;
}

static void portal_free(struct portal *portal)
{
	free(portal->traddr);
	free(portal->trsvcid);
	free(portal->host_traddr);
	free(portal->host_iface);
	free(portal);
}

DEFINE_CLEANUP(struct portal *, portal_free);

static void free_nothing(void *node)
{
}

void portals_free(struct portals *portals)
{
	if (!portals)
		return;
	for (size_t i = 0; i < portals->n; i++)
		close(portals->sockets[i].fd);
	tdestroy(portals->tree, free_nothing);
	while (portals->all) {
		struct portal *portal = portals->all;

		portals->all = portal->next;
		portal_free(portal);
	}
	free(portals);
}

/* NULL sorts first. */
static int compare_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !!a - !!b;
}

static int compare(const void *one, const void *other)
{
	const struct portal *a = one, *b = other;
	int ret = compare_text(a->traddr, b->traddr);

	if (!ret)
		ret = compare_text(a->trsvcid, b->trsvcid);
	if (!ret)
		ret = compare_text(a->host_traddr, b->host_traddr);
	return ret ? ret : compare_text(a->host_iface, b->host_iface);
}

static struct portal *portal_new(const struct portal_address *address, const char *trsvcid)
{
	_cleanup_(portal_free) struct portal *portal = calloc(1, sizeof(*portal));
	struct portal *ret = portal;

	if (!portal || text_copy(&portal->traddr, address->traddr) ||
	    text_copy(&portal->trsvcid, trsvcid) ||
	    text_copy(&portal->host_traddr, address->host_traddr) ||
	    text_copy(&portal->host_iface, address->host_iface))
		return NULL;
	portal->answer = PORTAL_NOT_PROBED;
	portal = NULL;
	return ret;
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

/* Use the same source address and interface as the kernel's connections. */
static int bind_host_side(int fd, const struct portal *portal)
{
	_cleanup_(freeaddrinfo) struct addrinfo *address = NULL;

	if (portal->host_iface && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, portal->host_iface,
					     (socklen_t)strlen(portal->host_iface)))
		return -errno;
	if (!portal->host_traddr)
		return 0;
	address = numeric(portal->host_traddr, NULL);
	if (!address || bind(fd, address->ai_addr, address->ai_addrlen))
		return -EADDRNOTAVAIL;
	return 0;
}

/* Start to connect. Return a descriptor to wait for, or -1 if it fails, as the kernel would. */
static int start_probe(const struct portal *portal)
{
	_cleanup_(freeaddrinfo) struct addrinfo *address = numeric(portal->traddr, portal->trsvcid);
	int fd;

	if (!address)
		return -1;
	fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (!bind_host_side(fd, portal) && connect(fd, address->ai_addr, address->ai_addrlen) &&
	    errno == EINPROGRESS)
		return fd;
	close(fd);
	return -1;
}

/* Probe as many waiting portals as descriptors allow. Return how many of them are ready at once. */
static size_t start_probes(struct portals *portals)
{
	size_t ready = 0;

	while (portals->first_unprobed && portals->n < MAX_PROBES) {
		struct portal *portal = portals->first_unprobed;
		int fd = start_probe(portal);

		portals->first_unprobed = portal->next_unprobed;
		if (!portals->first_unprobed)
			portals->last_unprobed = &portals->first_unprobed;
		if (fd < 0) {
			portal->answer = PORTAL_READY;
			ready++;
			continue;
		}
		portal->answer = PORTAL_WAITING;
		portal->end = now() + portals->silence_timeout;
		portals->probed[portals->n] = portal;
		portals->sockets[portals->n++] = (struct pollfd){ .fd = fd, .events = POLLOUT };
	}
	return ready;
}

void portals_start(struct portals *portals)
{
	start_probes(portals);
}

struct portal *portals_add(struct portals *portals, const struct portal_address *address)
{
	_cleanup_(portal_free) struct portal *portal = NULL;
	const char *trsvcid = address->trsvcid;
	struct portal **found, *ret;

	if (!trsvcid || !*trsvcid)
		trsvcid = nvmf_transport_default_trsvcid(address->transport, address->discovery);
	if (!nvmf_transport_has(address->transport, portals->required_traits) || !address->traddr ||
	    !*address->traddr || !trsvcid)
		return NULL;
	ret = portal = portal_new(address, trsvcid);
	found = portal ? tsearch(portal, &portals->tree, compare) : NULL;
	if (!found || *found != portal)
		return found ? *found : NULL;
	portal = NULL;
	ret->next = portals->all;
	portals->all = ret;
	*portals->last_unprobed = ret;
	portals->last_unprobed = &ret->next_unprobed;
	return ret;
}

enum portal_answer portal_answer(const struct portal *portal)
{
	return portal ? portal->answer : PORTAL_READY;
}

char *portal_failure_text(const struct portals *portals, const struct portal *portal)
{
	const bool brackets = strchr(portal->traddr, ':');

	if (portal->err)
		return text_format("%s%s%s:%s: %s", brackets ? "[" : "", portal->traddr,
				   brackets ? "]" : "", portal->trsvcid, strerror(portal->err));
	return text_format("%s%s%s:%s did not answer within %g s", brackets ? "[" : "",
			   portal->traddr, brackets ? "]" : "", portal->trsvcid,
			   (double)portals->silence_timeout / 1000);
}

int portal_error(const struct portal *portal)
{
	return portal->err ? portal->err : ETIMEDOUT;
}

void portal_mark_failed(struct portal *portal)
{
	if (portal)
		portal->given_up = true;
}

bool portal_has_failed(const struct portal *portal)
{
	return portal && portal->given_up;
}

/* A refusal is an answer. Unreachable hosts and networks are silent: the kernel waits for them. */
static enum portal_answer answer_of(struct portal *portal, int fd)
{
	socklen_t size = sizeof(int);
	int err = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size))
		err = errno;
	if (!err || err == ECONNREFUSED || err == ECONNRESET)
		return PORTAL_READY;
	if (err != ETIMEDOUT)
		portal->err = err;
	return PORTAL_SILENT;
}

/* Drop probes that are answered or timed out, start waiting ones. Return how many are ready now. */
static size_t collect_answers(struct portals *portals)
{
	size_t kept = 0, ready = 0;
	long at = now();

	for (size_t i = 0; i < portals->n; i++) {
		struct portal *portal = portals->probed[i];

		if (portals->sockets[i].revents)
			portal->answer = answer_of(portal, portals->sockets[i].fd);
		else if (at >= portal->end)
			portal->answer = PORTAL_SILENT;
		if (portal->answer != PORTAL_WAITING) {
			ready += portal->answer == PORTAL_READY;
			close(portals->sockets[i].fd);
			continue;
		}
		portals->probed[kept] = portal;
		portals->sockets[kept++] = portals->sockets[i];
	}
	portals->n = kept;
	return ready + start_probes(portals);
}

/* Wait until @end for a first answer. Return how many are ready now. */
static size_t poll_until(struct portals *portals, long end)
{
	long left;

	for (size_t i = 0; i < portals->n; i++)
		if (portals->probed[i]->end < end)
			end = portals->probed[i]->end;
	left = end - now();
	if (poll(portals->sockets, portals->n, left > 0 ? (int)left : 0) < 0)
		for (size_t i = 0; i < portals->n; i++)
			portals->sockets[i].revents = 0;
	return collect_answers(portals);
}

void portals_poll(struct portals *portals)
{
	if (portals->n)
		poll_until(portals, 0);
}

bool portals_wait(struct portals *portals, bool ready)
{
	const long began = now();
	long end;

	if (start_probes(portals))
		ready = true;
	while (portals->n && !ready)
		ready = poll_until(portals, began + portals->silence_timeout);
	for (end = now() + (now() - began) + GRACE_MS; portals->n && now() < end;)
		poll_until(portals, end);
	return !portals->n;
}
