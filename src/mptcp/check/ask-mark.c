// SPDX-License-Identifier: LGPL-2.1-or-later
/* Routes of packets that a firewall has marked: routing rules may select by the mark. */
#include "ask.h"
#include "mptcp/snapshot/routes.h"

/* Find the @i-th mark of the family's rules. Returns 0 if there are not so many. */
static uint32_t find_mark(const struct routes *routes, bool v4, size_t i)
{
	for (size_t at = 0; at < routes->n_policies; at++) {
		const struct policy_entry *policy = &routes->policy[at];
		bool known = policy->v4 != v4 || !policy->mark;

		for (size_t before = 0; before < at && !known; before++)
			known = routes->policy[before].v4 == v4 &&
				routes->policy[before].mark == policy->mark;
		if (!known && !i--)
			return policy->mark;
	}
	return 0;
}

bool ask_marked_route(struct check *c, const struct path_ends *ends, size_t i,
		      struct marked_route *ret)
{
	struct routes routes;
	int err;

	*ret = (struct marked_route){};
	if (!c->nl.sock && nl_open(&c->nl, NETLINK_ROUTE))
		return false;
	err = route_dump_policies(&c->nl, &routes);
	if (err)
		c->err = err;
	else
		ret->mark = find_mark(&routes, address_is_v4(&ends->remote.ip), i);
	route_clear(&routes);
	if (!ret->mark)
		return false;
	ret->err = route_ask_marked(&c->nl, &ends->local, ends->ifindex, &ends->remote, ret->mark,
				    &ret->route);
	return true;
}
