// SPDX-License-Identifier: LGPL-2.1-or-later
/* Monitor: receives path manager events and finds the controller of each. */
#include <sys/epoll.h>
#include <sys/socket.h>
#include <linux/rtnetlink.h>

#include "notice.h"
#include "mptcp/snapshot/coverage.h"

/*
 * Pause after a snapshot before a controller is searched for an unknown connection, as a multiple
 * of the snapshot's time: connections of other programs cost a bounded share of CPU time.
 */
#define SNAPSHOT_PAUSE_FACTOR 4
#define SNAPSHOT_PAUSE_MAX_US 500000

/* Maximum number of ended connections to remember, because their last events arrive later. */
#define MAX_CLOSED 4096

/* Names of the controllers of a connection. */
struct known {
	struct known *next;
	char names[];
};

/* State of a link, and what was reported about it. */
struct link_state {
	int ifindex;
	bool is_alive;
	bool is_down_reported; /* a LINK_DOWN event was reported */
};

struct nvme_mptcp_monitor {
	struct nl nl; /* for path manager events */
	struct nl route; /* for link notices */
	int epoll; /* watches both sockets */
	struct link_state *links;
	size_t n_links;
	struct known *link_ctrls; /* controller names in link events, each string once */
	struct genl_family family;
	char *netns;
	struct nvme_mptcp_snapshot *snap; /* the last one, for link names */
	struct idmap *by_token; /* struct known by token */
	struct known *known;
	size_t n_known;
	int64_t snap_time; /* time of the last snapshot, CLOCK_MONOTONIC, in us */
	int64_t snap_duration; /* duration of that snapshot, in us */
	struct nvme_mptcp_event *events; /* from the last datagram */
	size_t n_events, next;
	struct nvme_mptcp_event lost;
};

static int64_t now_us(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static int open_sockets(void *arg)
{
	struct nvme_mptcp_monitor *mon = arg;
	int err = pm_open(&mon->nl, &mon->family);

	if (err)
		return err;
	if (!mon->family.events)
		return -EOPNOTSUPP;
	return nl_join(&mon->nl, mon->family.events)
	       ?: nl_watch(&mon->nl, mon->epoll)
	       ?: nl_open(&mon->route, NETLINK_ROUTE)
	       ?: nl_join(&mon->route, RTNLGRP_LINK)
	       ?: nl_watch(&mon->route, mon->epoll);
}

static void free_names(struct known **list)
{
	while (*list) {
		struct known *next = (*list)->next;

		free(*list);
		*list = next;
	}
}

static struct known *add_names(struct known **list, const char *names)
{
	size_t size = strlen(names) + 1;
	struct known *known = malloc(sizeof(*known) + size);

	if (!known)
		return NULL;
	memcpy(known->names, names, size);
	known->next = *list;
	return *list = known;
}

static void forget(struct nvme_mptcp_monitor *mon)
{
	free_names(&mon->known);
	mon->n_known = 0;
	idmap_free(mon->by_token);
	mon->by_token = NULL;
}

static int remember(struct nvme_mptcp_monitor *mon, uint32_t token, const char *names)
{
	struct known *known = idmap_get(mon->by_token, token);

	if (known && !strcmp(known->names, names))
		return 0;
	known = add_names(&mon->known, names);
	if (!known)
		return -ENOMEM;
	mon->n_known++;
	return idmap_put(mon->by_token, token, known);
}

/* Return "nvme1,nvme2" for connections that may belong to either. The caller frees it. */
static char *ctrl_names(const struct nvme_mptcp_connection *conn)
{
	_cleanup_(text_wipe) struct text text = { 0 };
	FILE *out;

	if (conn->ctrl)
		return strdup(conn->ctrl->name);
	out = text_open(&text);
	for (size_t i = 0; out && conn->shared && i < conn->shared->n_ctrls; i++)
		fprintf(out, "%s%s", i ? "," : "", conn->shared->ctrls[i]->name);
	return text_close(&text) ? NULL : text_take(&text);
}

static int learn(struct nvme_mptcp_monitor *mon, struct nvme_mptcp_snapshot *snap)
{
	if (mon->n_known > 2 * snap->n_connections + MAX_CLOSED) {
		forget(mon);
		mon->by_token = idmap_new(snap->n_connections);
		if (!mon->by_token)
			return -ENOMEM;
	}
	for (size_t i = 0; i < snap->n_connections; i++) {
		const struct nvme_mptcp_connection *conn = &snap->connections[i];
		_cleanup_(free) char *names = NULL;

		if (!conn->has_token || (!conn->ctrl && !conn->shared))
			continue;
		names = ctrl_names(conn);
		if (!names || remember(mon, conn->token, names))
			return -ENOMEM;
	}
	return 0;
}

/* Take a snapshot and learn its connections. Those learned earlier are kept. */
static int read_tokens(struct nvme_mptcp_monitor *mon)
{
	int64_t begin = now_us(CLOCK_MONOTONIC);
	struct nvme_mptcp_snapshot *snap;
	int err;

	err = snapshot_take_sysfs(mon->netns, &snap);
	mon->snap_time = now_us(CLOCK_MONOTONIC);
	mon->snap_duration = mon->snap_time - begin;
	if (err)
		return err;
	nvme_mptcp_snapshot_free(mon->snap);
	mon->snap = snap;
	return learn(mon, snap);
}

static struct link_state *find_link_state(struct nvme_mptcp_monitor *mon, int ifindex)
{
	for (size_t i = 0; i < mon->n_links; i++)
		if (mon->links[i].ifindex == ifindex)
			return &mon->links[i];
	return NULL;
}

/* Note the initial state of all links. */
static int learn_links(struct nvme_mptcp_monitor *mon)
{
	for (size_t i = 0; i < mon->snap->n_links; i++) {
		const struct link_state state = { .ifindex = mon->snap->links[i].ifindex,
						  .is_alive = link_is_alive(&mon->snap->links[i]) };

		if (array_push(&mon->links, &mon->n_links, &state, sizeof(state)))
			return -ENOMEM;
	}
	return 0;
}

/* True if the link carries connections of the set or should. */
static bool is_link_of(const struct nvme_mptcp_set *set, int ifindex)
{
	for (size_t i = 0; i < set->n_coverage; i++) {
		const struct nvme_mptcp_coverage *coverage = &set->coverage[i];

		if (coverage->link && coverage->link->ifindex == ifindex)
			return coverage_is_wanted(coverage);
	}
	return false;
}

static const char *intern_names(struct nvme_mptcp_monitor *mon, const char *names)
{
	struct known *known = mon->link_ctrls;

	while (known && strcmp(known->names, names) != 0)
		known = known->next;
	if (!known)
		known = add_names(&mon->link_ctrls, names);
	return known ? known->names : NULL;
}

/*
 * Find the controllers that should use a link, from the last snapshot. *@ret: their names, or NULL
 * for none. Returns 0 or -ENOMEM.
 */
static int find_link_ctrls(struct nvme_mptcp_monitor *mon, int ifindex, const char **ret)
{
	_cleanup_(text_wipe) struct text text = { 0 };
	const struct nvme_mptcp_snapshot *snap = mon->snap;
	FILE *out = text_open(&text);
	bool any = false;

	*ret = NULL;
	for (size_t i = 0; out && i < snap->n_ctrls; i++) {
		const struct nvme_mptcp_ctrl *ctrl = &snap->ctrls[i];
		bool is_one = is_link_of(&ctrl->set, ifindex);

		for (size_t j = 0; j < snap->n_shared && !is_one; j++)
			for (size_t k = 0; k < snap->shared[j].n_ctrls && !is_one; k++)
				is_one = snap->shared[j].ctrls[k] == ctrl &&
					 is_link_of(&snap->shared[j].set, ifindex);
		if (!is_one)
			continue;
		fprintf(out, "%s%s", any ? "," : "", ctrl->name);
		any = true;
	}
	if (text_close(&text))
		return -ENOMEM;
	if (any)
		*ret = intern_names(mon, text.bytes);
	return any && !*ret ? -ENOMEM : 0;
}

static void clear_event(struct nvme_mptcp_event *ev, unsigned int type)
{
	*ev = (struct nvme_mptcp_event){ .type = type,
					 .time = now_us(CLOCK_REALTIME),
					 .token = NVME_MPTCP_UNKNOWN };
	for (size_t i = 0; i < NVME_MPTCP_EVENT_VALUES; i++)
		ev->value[i] = NVME_MPTCP_UNKNOWN;
}

static int add_link_event(struct nvme_mptcp_monitor *mon, const struct notice *notice,
			  const struct link_state *state, const char *ctrls)
{
	struct nvme_mptcp_event *ev = array_add(&mon->events, &mon->n_events, sizeof(*ev));

	if (!ev)
		return -ENOMEM;
	clear_event(ev, state->is_alive ? NVME_MPTCP_EVENT_LINK_UP : NVME_MPTCP_EVENT_LINK_DOWN);
	ev->value[NVME_MPTCP_EVENT_IFINDEX] = notice->ifindex;
	ev->ctrl = ctrls;
	if (notice->name)
		str_copy(ev->link, sizeof(ev->link), notice->name, strlen(notice->name));
	return 0;
}

/* The path manager reports no link events, and idle connections do not notice a dead link. */
static int take_link_notice(const struct nlmsghdr *nlh, void *arg)
{
	struct nvme_mptcp_monitor *mon = arg;
	const char *ctrls = NULL;
	struct link_state *state;
	struct notice notice;
	bool is_alive;
	int err;

	if (notice_parse_route(nlh, &notice) <= 0 || notice.kind != NOTICE_LINK)
		return 0;
	is_alive =
		!notice.gone && link_is_alive(&(struct nvme_mptcp_link){ .flags = notice.flags });
	state = find_link_state(mon, notice.ifindex);
	if (!state) {
		state = array_add(&mon->links, &mon->n_links, sizeof(*state));
		if (!state)
			return -ENOMEM;
		*state = (struct link_state){ .ifindex = notice.ifindex };
	}
	if (state->is_alive == is_alive)
		return 0;
	state->is_alive = is_alive;
	err = find_link_ctrls(mon, notice.ifindex, &ctrls);
	if (err || (!ctrls && !state->is_down_reported))
		return err;
	state->is_down_reported = !is_alive;
	return add_link_event(mon, &notice, state, ctrls);
}

int nvme_mptcp_monitor_open(const char *netns, nvme_mptcp_monitor_t *ret)
{
	struct nvme_mptcp_monitor *mon = calloc(1, sizeof(*mon));
	int err = -ENOMEM;

	failure_begin();
	if (!mon)
		goto fail;
	mon->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (mon->epoll < 0) {
		err = -errno;
		goto fail;
	}
	mon->by_token = idmap_new(64);
	if (!mon->by_token || str_set(&mon->netns, netns))
		goto fail;
	err = netns_run(netns, open_sockets, mon) ?: read_tokens(mon) ?: learn_links(mon);
	if (err)
		goto fail;
	*ret = mon;
	return 0;
fail:
	nvme_mptcp_monitor_close(mon);
	if (err == -EPERM && !netns)
		failure_note(err,
			     "MPTCP events: the kernel shows them to root only (CAP_NET_ADMIN)");
	if (err == -EOPNOTSUPP)
		failure_note(err, "MPTCP events: this kernel has no MPTCP path manager");
	return failure_raise(err, "MPTCP events");
}

void nvme_mptcp_monitor_close(nvme_mptcp_monitor_t mon)
{
	if (!mon)
		return;
	forget(mon);
	free_names(&mon->link_ctrls);
	nl_close(&mon->nl);
	nl_close(&mon->route);
	if (mon->epoll >= 0)
		close(mon->epoll);
	free(mon->links);
	nvme_mptcp_snapshot_free(mon->snap);
	free(mon->events);
	free(mon->netns);
	free(mon);
}

int nvme_mptcp_monitor_get_fd(nvme_mptcp_monitor_t mon)
{
	return mon->epoll;
}

static int take_event(const struct nlmsghdr *nlh, void *arg)
{
	struct nvme_mptcp_monitor *mon = arg;
	struct nvme_mptcp_event ev;
	int err;

	if (nlh->nlmsg_type != mon->family.id)
		return 0;
	err = event_parse(nlh, &ev);
	if (err)
		return err;
	ev.time = now_us(CLOCK_REALTIME);
	return array_push(&mon->events, &mon->n_events, &ev, sizeof(ev));
}

static bool leads_to_portal(const struct nvme_mptcp_monitor *mon, const struct nvme_mptcp_event *ev)
{
	if (!ev->has_remote || !mon->snap)
		return false;
	for (size_t i = 0; i < mon->snap->n_ctrls; i++) {
		const struct nvme_mptcp_ctrl *ctrl = &mon->snap->ctrls[i];

		if (ctrl->has_portal && ctrl->portal.port == ev->remote.port &&
		    address_equal(&ctrl->portal.ip, &ev->remote.ip))
			return true;
	}
	return false;
}

static bool is_too_early(const struct nvme_mptcp_monitor *mon)
{
	int64_t pause = SNAPSHOT_PAUSE_FACTOR * mon->snap_duration;

	if (pause > SNAPSHOT_PAUSE_MAX_US)
		pause = SNAPSHOT_PAUSE_MAX_US;
	return now_us(CLOCK_MONOTONIC) - mon->snap_time < pause;
}

/*
 * Find the controllers of an event's connection. Other programs may have many connections, so
 * unknown ones that lead to no portal rarely cause a new snapshot.
 */
static const struct known *find_ctrl(struct nvme_mptcp_monitor *mon,
				     const struct nvme_mptcp_event *ev)
{
	const struct known *known;

	if (ev->token == NVME_MPTCP_UNKNOWN)
		return NULL;
	known = idmap_get(mon->by_token, (uint64_t)ev->token);
	if (known || ev->type == NVME_MPTCP_EVENT_CLOSED)
		return known;
	if (!leads_to_portal(mon, ev) && is_too_early(mon))
		return NULL;
	/* Without a new snapshot the controller stays unknown. */
	if (read_tokens(mon))
		return NULL;
	return idmap_get(mon->by_token, (uint64_t)ev->token);
}

static void name_event(struct nvme_mptcp_monitor *mon, struct nvme_mptcp_event *ev)
{
	const struct nvme_mptcp_link *link;
	const struct known *known;

	/* Link events already have their names. */
	if (ev->type == NVME_MPTCP_EVENT_LINK_DOWN || ev->type == NVME_MPTCP_EVENT_LINK_UP)
		return;
	known = find_ctrl(mon, ev);
	ev->ctrl = known ? known->names : NULL;
	if (ev->value[NVME_MPTCP_EVENT_IFINDEX] > 0 && mon->snap) {
		link = link_by_index(mon->snap, (int)ev->value[NVME_MPTCP_EVENT_IFINDEX]);
		if (link)
			memcpy(ev->link, link->name, sizeof(ev->link));
	}
}

/* Report that the kernel dropped events. A new snapshot shows their result. */
static int report_loss(struct nvme_mptcp_monitor *mon, nvme_mptcp_event_t *ret)
{
	clear_event(&mon->lost, NVME_MPTCP_EVENT_LOST);
	read_tokens(mon);
	*ret = &mon->lost;
	return 1;
}

/* Receive from either socket, skipping malformed messages. Return as nl_receive(), or -ENOMEM. */
static ssize_t receive_any(struct nvme_mptcp_monitor *mon)
{
	struct nl_reply reply = { .fn = take_event, .arg = mon };
	ssize_t len = nl_receive(&mon->nl, MSG_DONTWAIT);
	int err = 0;

	if (len >= 0) {
		err = nl_parse(mon->nl.buf, (size_t)len, &reply);
	} else if (len == -EAGAIN) {
		len = nl_receive(&mon->route, MSG_DONTWAIT);
		if (len >= 0)
			err = nl_parse_multicasts(mon->route.buf, (size_t)len, take_link_notice,
						  mon);
	}
	return err == -ENOMEM ? err : len;
}

int nvme_mptcp_monitor_next(nvme_mptcp_monitor_t mon, nvme_mptcp_event_t *ret)
{
	while (mon->next == mon->n_events) {
		ssize_t len;

		mon->next = mon->n_events = 0;
		len = receive_any(mon);
		if (len == -EAGAIN)
			return 0;
		if (len == -ENOBUFS || len == -EMSGSIZE)
			return report_loss(mon, ret);
		if (len < 0)
			return failure_errno((int)len);
	}
	name_event(mon, &mon->events[mon->next]);
	*ret = &mon->events[mon->next++];
	return 1;
}
