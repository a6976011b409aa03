// SPDX-License-Identifier: LGPL-2.1-or-later
/* See coverage-hosts.h. */
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include "coverage-hosts.h"
#include "snapshot.h"

#define MAX_NEIGHBOURS 65536

static int take_neighbour(const struct nlmsghdr *nlh, void *arg)
{
	struct coverage_neighbours *all = arg;
	const struct ndmsg *msg = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *tb[NDA_DST + 1];
	struct coverage_neighbour found;

	if (nlh->nlmsg_type != RTM_NEWNEIGH || nl_msg_attrs(nlh, sizeof(*msg), tb, NDA_DST))
		return -EBADMSG;
	found.ifindex = msg->ndm_ifindex;
	/* A host that does not answer now may have had a subflow. */
	if ((msg->ndm_state & (NUD_NOARP | NUD_INCOMPLETE)) || !tb[NDA_DST] ||
	    all->n == MAX_NEIGHBOURS)
		return 0;
	if (msg->ndm_family == AF_INET ? nl_addr4(tb[NDA_DST], &found.ip)
				       : nl_addr6(tb[NDA_DST], &found.ip))
		return -EBADMSG;
	return array_push(&all->neighbour, &all->n, &found, sizeof(found));
}

int coverage_read_neighbours(struct nl *nl, struct coverage_neighbours *ret)
{
	struct ndmsg *msg =
		mnl_nlmsg_put_extra_header(nl_request(nl, RTM_GETNEIGH, 0), sizeof(*msg));

	msg->ndm_family = AF_UNSPEC;
	return nl_dump_array(nl, take_neighbour, &ret->n, ret) == -ENOMEM ? -ENOMEM : 0;
}

int coverage_add_host(struct coverage_hosts *all, size_t most,
		      const struct nvme_mptcp_connection *conn, uint64_t slots)
{
	if (!all->host) {
		all->host = calloc(most + 1, sizeof(*all->host));
		if (!all->host)
			return -ENOMEM;
		all->room = most;
	}
	for (size_t i = 0; i < conn->n_subflows && all->n < all->room; i++)
		all->host[all->n++] =
			(struct coverage_host){ .ip = conn->subflows[i].remote.ip, .slots = slots };
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct coverage_host *x = a, *y = b;

	return memcmp(&x->ip, &y->ip, sizeof(x->ip));
}

void coverage_sort_hosts(struct coverage_hosts *all)
{
	size_t n = 0;

	if (all->n)
		qsort(all->host, all->n, sizeof(*all->host), by_address);
	for (size_t i = 0; i < all->n; i++) {
		if (n && !by_address(&all->host[n - 1], &all->host[i]))
			all->host[n - 1].slots |= all->host[i].slots;
		else
			all->host[n++] = all->host[i];
	}
	all->n = n;
}

static struct coverage_host *find_host(const struct coverage_hosts *all, const struct in6_addr *ip)
{
	const struct coverage_host like = { .ip = *ip };

	return all->n ? bsearch(&like, all->host, all->n, sizeof(like), by_address) : NULL;
}

void coverage_add_neighbour(struct coverage_hosts *all, const struct in6_addr *ip, uint64_t slot)
{
	struct coverage_host *host = find_host(all, ip);

	if (host)
		host->near |= slot;
	else if (!address_is_link_local(ip))
		all->strangers |= slot;
}

/* True if the host starts several subflows to one address. Announcements change nothing then. */
static bool starts_by_itself(const struct nvme_mptcp_connection *conn)
{
	for (size_t i = 0; i < conn->n_subflows; i++)
		for (size_t j = 0; j < i; j++)
			if (address_equal(&conn->subflows[i].local.ip,
					  &conn->subflows[j].local.ip) &&
			    !address_equal(&conn->subflows[i].remote.ip,
					   &conn->subflows[j].remote.ip))
				return true;
	return false;
}

uint64_t coverage_of_host(const struct coverage_hosts *all,
			  const struct nvme_mptcp_connection *conn)
{
	const bool own = starts_by_itself(conn);
	uint64_t slots = own ? 0 : all->strangers;

	for (size_t i = 0; i < conn->n_subflows; i++) {
		const struct coverage_host *host = find_host(all, &conn->subflows[i].remote.ip);

		if (host)
			slots |= host->slots | (own ? 0 : host->near);
	}
	return slots;
}

bool coverage_answers_on(const struct nvme_mptcp_connection *conn,
			 const struct nvme_mptcp_link *link)
{
	for (size_t i = 0; i < conn->n_subflows; i++) {
		const struct nvme_mptcp_subflow *sf = &conn->subflows[i];

		if (sf->link != link || !subflow_carries(sf))
			continue;
		for (size_t j = 0; j < conn->n_subflows; j++)
			if (j != i && subflow_carries(&conn->subflows[j]) &&
			    address_equal(&conn->subflows[j].local.ip, &sf->local.ip))
				return true;
	}
	return false;
}
