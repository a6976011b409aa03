// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules R: the ways between both sides. doc/mptcp-rules.md */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/neighbour.h>

#include "check-private.h"

/* What a way out by the endpoint's own device says. */
static void check_way(struct check *c, const struct rule *rule,
		      const struct nvme_mptcp_endpoint *ep, const struct portal *portal, bool v4)
{
	const struct nvme_mptcp_link *link = link_of(ep);
	struct route_answer route = {};
	struct nvme_mptcp_finding *f;
	char target[ADDRESS_TEXT];
	int err = c->ops->route(c, &ep->ip, link->ifindex, &portal->address.ip, &route);

	/* With a device IPv4 never fails: without a route it takes the peer for a neighbour. */
	if (v4 ? err || route.gateway || is_on_link(c->snap, link->ifindex, &portal->address.ip)
	       : err != -ENETUNREACH && err != -EHOSTUNREACH)
		return;
	address_text(&portal->address.ip, target);
	f = about_endpoint(c, rule, ep);
	finding_why(c, f,
		    v4 ? "There is no route to %s by %s: the kernel looks for it right on that "
			 "link, and nobody answers there"
		       : "There is no route to %s by %s: the kernel does not even try",
		    target, link->name);
	finding_fact(c, f, "link", "%s", link->name);
	finding_fact(c, f, "target", "%s", target);
	finding_fix(c, f, here(c), "ip route add %s via GATEWAY dev %s", target, link->name);
}

static void check_ways(struct check *c, const struct rule *rule, bool v4)
{
	FOR_EACH_ENDPOINT(c, ep)
	{
		/* A laminar endpoint goes to announced addresses, which may well be on its link. */
		if (!starts_subflows(ep) || !is_usable(ep) || is_v4(&ep->ip) != v4 ||
		    (ep->flags & NVME_MPTCP_ENDPOINT_LAMINAR) || is_loopback(&ep->ip))
			continue;
		for (size_t i = 0; i < c->n_portals; i++)
			if (is_v4(&c->portals[i].address.ip) == v4)
				check_way(c, rule, ep, &c->portals[i], v4);
	}
}

static void no_route6(struct check *c, const struct rule *rule)
{
	check_ways(c, rule, false);
}

static void no_route4(struct check *c, const struct rule *rule)
{
	check_ways(c, rule, true);
}

static int64_t rp_filter(struct check *c, const char *link)
{
	char path[80];

	snprintf(path, sizeof(path), "net/ipv4/conf/%s/rp_filter", link);
	return c->ops->setting(c, path);
}

static void reverse_path(struct check *c, const struct rule *rule)
{
	int64_t all = rp_filter(c, "all");

	FOR_EACH_ENDPOINT(c, ep)
	{
		const struct nvme_mptcp_link *link = link_of(ep);
		struct nvme_mptcp_finding *f;
		struct route_answer route;
		char text[LINK_TEXT];
		int64_t own;

		if (!starts_subflows(ep) || !link || !is_v4(&ep->ip))
			continue;
		own = rp_filter(c, link->name);
		/* The larger of the two counts; 2 is the loose mode. */
		if ((own > all ? own : all) != 1)
			continue;
		for (size_t i = 0; i < c->n_portals; i++) {
			const struct in6_addr *peer = &c->portals[i].address.ip;

			if (!is_v4(peer) || c->ops->route(c, NULL, 0, peer, &route) ||
			    route.ifindex == link->ifindex)
				continue;
			f = about_endpoint(c, rule, ep);
			finding_why(c, f,
				    "%s drops what comes from the target, because the route there "
				    "leaves by %s (strict reverse path filter)",
				    link->name, link_text(c->snap, route.ifindex, text));
			finding_fact(c, f, "rp_filter", "1");
			finding_fact(c, f, "IPReversePathFilter", "%lld",
				     (long long)total(c, "TcpExt", "IPReversePathFilter"));
			finding_fix(c, f, here(c), "sysctl -w net.ipv4.conf.%s.rp_filter=2",
				    link->name);
			break;
		}
	}
}

static bool share_prefix(const struct check *c, const struct nvme_mptcp_endpoint *x,
			 const struct nvme_mptcp_endpoint *y)
{
	return is_v4(&x->ip) && is_v4(&y->ip) && x->link && y->link && x->link != y->link &&
	       is_on_link(c->snap, x->link->ifindex, &y->ip);
}

static void one_subnet(struct check *c, const struct rule *rule)
{
	if (c->ops->setting(c, "net/ipv4/conf/all/arp_ignore") > 0)
		return;
	FOR_EACH_ENDPOINT(c, ep)
	{
		if (!matters(c, ep))
			continue;
		for (const struct nvme_mptcp_endpoint *other = c->snap->endpoints; other < ep;
		     other++) {
			struct nvme_mptcp_finding *f;

			if (!matters(c, other) || !share_prefix(c, ep, other))
				continue;
			f = about_endpoint(c, rule, ep);
			finding_why(c, f,
				    "%s and %s are in one subnet, and this machine answers ARP for "
				    "either address on both: packets arrive on the wrong link",
				    ep->link->name, other->link->name);
			finding_fact(c, f, "other", "%s", other->address);
			finding_fix(c, f, here(c),
				    "sysctl -w net.ipv4.conf.all.arp_ignore=1 "
				    "net.ipv4.conf.all.arp_announce=2");
			return;
		}
	}
}

const struct rule route_rules[] = {
	{ "R01", NVME_MPTCP_ERROR, ON_HOST, "No IPv6 route by the link", no_route6 },
	{ "R02", NVME_MPTCP_WARNING, ON_HOST, "No IPv4 route by the link", no_route4 },
	{ "R06", NVME_MPTCP_ERROR, ON_HOST, "Strict reverse path filter", reverse_path },
	{ "R07", NVME_MPTCP_WARNING, ON_BOTH, "Two links in one subnet", one_subnet },
	{},
};
