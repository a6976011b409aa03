// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find out which of several next hops the kernel picked for a subflow. The kernel does not report
 * it, but a link that has sent less than the subflow cannot be the one.
 */
#include <pthread.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "snapshot.h"

/* Minimum number of bytes sent between two samples: other traffic could explain less. */
#define SENT_FLOOR (32 << 10)

/* TCP may have sent this many times what a link counts, which is packets that left its queue. */
#define QUEUED 2

/* Counters of a subflow and of its candidate links, when it last had sent at least SENT_FLOOR. */
struct sighting {
	uint64_t netns_id;
	struct socket_address local, remote;
	int64_t sent;
	size_t n;
	int ifindex[ROUTE_HOPS];
	int64_t link_sent[ROUTE_HOPS];
	int known; /* ifindex of its outgoing link; 0: unknown */
};

/* Kept between snapshots, so that programs that take several learn from the growth of counters. */
static pthread_mutex_t sightings_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sighting *sightings; /* sorted by by_ends() */
static size_t n_sightings;

static int by_ends(const void *a, const void *b)
{
	const struct sighting *x = a, *y = b;

	return ((x->netns_id > y->netns_id) - (x->netns_id < y->netns_id))
		       ?: address_port_compare(&x->local, &y->local)
		       ?: address_port_compare(&x->remote, &y->remote);
}

static int take_sent(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[IFLA_STATS64 + 1];
	struct rtnl_link_stats64 stats;

	if (nlh->nlmsg_type != RTM_NEWLINK ||
	    nl_msg_attrs(nlh, sizeof(struct ifinfomsg), tb, IFLA_STATS64))
		return -EBADMSG;
	if (tb[IFLA_STATS64] &&
	    mnl_attr_get_payload_len(tb[IFLA_STATS64]) >=
		    offsetof(struct rtnl_link_stats64, tx_bytes) + sizeof(stats.tx_bytes)) {
		memcpy(&stats, mnl_attr_get_payload(tb[IFLA_STATS64]),
		       offsetof(struct rtnl_link_stats64, tx_bytes) + sizeof(stats.tx_bytes));
		*(int64_t *)arg = (int64_t)stats.tx_bytes;
	}
	return 0;
}

/* Read after the subflows, so that it includes at least what they have sent. */
static int64_t ask_sent(struct nl *nl, int ifindex)
{
	struct ifinfomsg *msg =
		mnl_nlmsg_put_extra_header(nl_request(nl, RTM_GETLINK, 0), sizeof(*msg));
	int64_t sent = NVME_MPTCP_UNKNOWN;

	msg->ifi_index = ifindex;
	return nl_talk(nl, take_sent, &sent) ? NVME_MPTCP_UNKNOWN : sent;
}

static void take_sighting(const struct nvme_mptcp_snapshot *snap,
			  const struct nvme_mptcp_subflow *sf, const int64_t *link_sent,
			  struct sighting *ret)
{
	*ret = (struct sighting){
		.netns_id = snap->netns_id,
		.local = sf->local,
		.remote = sf->remote,
		.sent = sf->value[NVME_MPTCP_BYTES_SENT],
		.n = sf->n_possible,
	};
	for (size_t i = 0; i < sf->n_possible; i++) {
		ret->ifindex[i] = sf->possible[i]->ifindex;
		ret->link_sent[i] = link_sent[sf->possible[i] - snap->links];
	}
}

static bool same_links(const struct sighting *x, const struct sighting *y)
{
	return x->n == y->n && !memcmp(x->ifindex, y->ifindex, x->n * sizeof(*x->ifindex));
}

/* Return the only link that sent as much as the subflow since @then (NULL: its start), or 0. */
static int only_link(const struct sighting *now, const struct sighting *then)
{
	const int64_t sent = now->sent - (then ? then->sent : 0);
	int found = 0;

	for (size_t i = 0; i < now->n; i++) {
		const int64_t link_sent = now->link_sent[i] - (then ? then->link_sent[i] : 0);

		if (now->link_sent[i] < 0 || link_sent < 0)
			return 0;
		if (link_sent * QUEUED < sent)
			continue;
		if (found)
			return 0;
		found = now->ifindex[i];
	}
	return found;
}

/* Keep the earlier result until the subflow has sent enough again. */
static void update_sighting(struct sighting *now, const struct sighting *then)
{
	if (then && (!same_links(now, then) || now->sent < then->sent))
		then = NULL;
	if (now->sent - (then ? then->sent : 0) >= SENT_FLOOR)
		now->known = only_link(now, then);
	else if (then)
		*now = *then;
}

static void update_sightings(struct nvme_mptcp_snapshot *snap, struct sighting *seen, size_t n)
{
	qsort(seen, n, sizeof(*seen), by_ends);
	for (size_t i = 0; i < n; i++)
		update_sighting(&seen[i], sightings ? bsearch(&seen[i], sightings, n_sightings,
							      sizeof(*seen), by_ends)
						    : NULL);
	for (size_t i = 0; i < snap->n_subflows; i++) {
		struct nvme_mptcp_subflow *sf = &snap->subflows[i];
		const struct sighting key = { .netns_id = snap->netns_id,
					      .local = sf->local,
					      .remote = sf->remote };
		const struct sighting *found =
			sf->n_possible ? bsearch(&key, seen, n, sizeof(key), by_ends) : NULL;

		if (found && found->known)
			sf->link = link_by_index(snap, found->known);
	}
}

int hops_resolve(struct nvme_mptcp_snapshot *snap, struct nl *nl)
{
	_cleanup_(free) int64_t *link_sent = NULL;
	struct sighting *seen;
	size_t n = 0;

	for (size_t i = 0; i < snap->n_subflows; i++)
		n += snap->subflows[i].n_possible > 0;
	if (!n)
		return 0;
	link_sent = malloc(snap->n_links * sizeof(*link_sent));
	seen = malloc(n * sizeof(*seen));
	if (!link_sent || !seen) {
		free(seen);
		return -ENOMEM;
	}
	for (size_t i = 0; i < snap->n_links; i++)
		link_sent[i] = INT64_MIN;
	n = 0;
	for (size_t i = 0; i < snap->n_subflows; i++) {
		const struct nvme_mptcp_subflow *sf = &snap->subflows[i];

		for (size_t j = 0; j < sf->n_possible; j++) {
			int64_t *sent = &link_sent[sf->possible[j] - snap->links];

			if (*sent == INT64_MIN)
				*sent = ask_sent(nl, sf->possible[j]->ifindex);
		}
		if (sf->n_possible)
			take_sighting(snap, sf, link_sent, &seen[n++]);
	}
	pthread_mutex_lock(&sightings_lock);
	update_sightings(snap, seen, n);
	free(sightings);
	sightings = seen;
	n_sightings = n;
	pthread_mutex_unlock(&sightings_lock);
	return 0;
}
