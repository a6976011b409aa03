// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules A and R: addresses, links and routes below endpoints. doc/mptcp-rules.md */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/if_addr.h>

#include "check-private.h"

static struct nvme_mptcp_finding *about(struct check *c, const struct rule *rule,
					const struct nvme_mptcp_endpoint *ep)
{
	return finding(c, rule, "endpoint %u (%s)", ep->id, ep->address);
}

/* Is it one that this side works with? The kernel's own are nobody's business. */
static bool matters(const struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	/* On the wrong device, nothing else can be said of it. */
	if (ep->device && ep->link && ep->device != ep->link)
		return false;
	return ((c->role & ON_HOST) && starts_subflows(ep)) ||
	       ((c->role & ON_TARGET) && is_signalled(ep));
}

static const struct local_address *address_of(const struct check *c,
					      const struct nvme_mptcp_endpoint *ep)
{
	return address_find(c->snap, &ep->ip);
}

static void tentative(struct check *c, const struct rule *rule)
{
	FOR_EACH_ENDPOINT(c, ep)
	{
		const struct local_address *address = address_of(c, ep);
		struct nvme_mptcp_finding *f;
		bool failed;

		if (!matters(c, ep) || !address)
			continue;
		failed = address->flags & IFA_F_DADFAILED;
		if (!failed &&
		    (!(address->flags & IFA_F_TENTATIVE) || (address->flags & IFA_F_OPTIMISTIC)))
			continue;
		f = about(c, rule, ep);
		finding_why(c, f,
			    failed ? "Another machine has the same address: the kernel refuses to "
				     "use it"
				   : "The kernel is still finding out whether another machine has "
				     "the same address");
		finding_fact(c, f, "address_state", "%s", failed ? "dadfailed" : "tentative");
	}
}

static void deprecated(struct check *c, const struct rule *rule)
{
	FOR_EACH_ENDPOINT(c, ep)
	{
		const struct local_address *address = address_of(c, ep);
		struct nvme_mptcp_finding *f;

		if (!matters(c, ep) || !address || !(address->flags & IFA_F_DEPRECATED))
			continue;
		f = about(c, rule, ep);
		finding_why(c, f,
			    "The address is deprecated: it works, and will go when its lifetime "
			    "ends");
	}
}

static void link_local(struct check *c, const struct rule *rule)
{
	FOR_EACH_ENDPOINT(c, ep)
	{
		struct nvme_mptcp_finding *f;

		if (!matters(c, ep) || ep->ifindex || !IN6_IS_ADDR_LINKLOCAL(&ep->ip))
			continue;
		f = about(c, rule, ep);
		finding_why(c, f, "A link-local address means nothing without a device");
		finding_fix(c, f, here(c), "ip mptcp endpoint delete id %u", ep->id);
		finding_fix(c, f, here(c), "ip mptcp endpoint add %s dev %s %s", ep->address,
			    ep->link ? ep->link->name : "LINK",
			    is_signalled(ep) ? "signal" : "subflow");
	}
}

static bool is_loopback(const struct in6_addr *ip)
{
	return is_v4(ip) ? ip->s6_addr[12] == 127 : IN6_IS_ADDR_LOOPBACK(ip);
}

static void loopback(struct check *c, const struct rule *rule)
{
	FOR_EACH_ENDPOINT(c, ep)
	{
		if (!starts_subflows(ep))
			continue;
		for (size_t i = 0; i < c->n_portals; i++) {
			const struct in6_addr *target = &c->portals[i].address.ip;
			struct nvme_mptcp_finding *f;

			if (is_loopback(target) == is_loopback(&ep->ip))
				continue;
			f = about(c, rule, ep);
			finding_why(
				c, f,
				"One of it and the target's address is this machine's loopback, "
				"the other is not: nothing gets from one to the other");
			break;
		}
	}
}

static void link_down(struct check *c, const struct rule *rule)
{
	FOR_EACH_ENDPOINT(c, ep)
	{
		const struct nvme_mptcp_link *link = ep->device ? ep->device : ep->link;
		struct nvme_mptcp_finding *f;

		if (!matters(c, ep) || !link || nvme_mptcp_link_is_up(link))
			continue;
		f = about(c, rule, ep);
		finding_why(c, f, "Its link %s is switched off", link->name);
		finding_fact(c, f, "link", "%s", link->name);
		finding_fix(c, f, here(c), "ip link set %s up", link->name);
	}
}

static void no_carrier(struct check *c, const struct rule *rule)
{
	FOR_EACH_ENDPOINT(c, ep)
	{
		const struct nvme_mptcp_link *link = ep->device ? ep->device : ep->link;
		struct nvme_mptcp_finding *f;

		if (!matters(c, ep) || !link || !nvme_mptcp_link_is_up(link) ||
		    nvme_mptcp_link_has_carrier(link))
			continue;
		f = about(c, rule, ep);
		finding_why(c, f,
			    "Its link %s has no carrier: the kernel tries to connect, and nothing "
			    "gets out; look at cable, switch port and the other end",
			    link->name);
		finding_fact(c, f, "link", "%s", link->name);
	}
}

static void enslaved(struct check *c, const struct rule *rule)
{
	FOR_EACH_ENDPOINT(c, ep)
	{
		const struct nvme_mptcp_link *link = ep->device ? ep->device : ep->link;
		struct nvme_mptcp_finding *f;
		char master[LINK_TEXT];

		if (!matters(c, ep) || !link || !link->master)
			continue;
		f = about(c, rule, ep);
		finding_why(c, f,
			    "Its link %s belongs to %s: addresses and endpoints belong on that one",
			    link->name, link_text(c->snap, link->master, master));
		finding_fact(c, f, "link", "%s", link->name);
		finding_fact(c, f, "master", "%s", master);
	}
}

static void mtu_differs(struct check *c, const struct rule *rule)
{
	const struct nvme_mptcp_link *least = NULL, *most = NULL;
	struct nvme_mptcp_finding *f;

	FOR_EACH_ENDPOINT(c, ep)
	{
		const struct nvme_mptcp_link *link = ep->device ? ep->device : ep->link;

		if (!matters(c, ep) || !link || link->mtu <= 0)
			continue;
		if (!least || link->mtu < least->mtu)
			least = link;
		if (!most || link->mtu > most->mtu)
			most = link;
	}
	if (least && least->mtu != most->mtu) {
		f = finding(c, rule, "%s and %s", least->name, most->name);
		finding_why(c, f,
			    "Their MTUs differ: the link with the smaller one needs more packets "
			    "for the same data");
		finding_fact(c, f, least->name, "%lld", (long long)least->mtu);
		finding_fact(c, f, most->name, "%lld", (long long)most->mtu);
	}
	for (size_t i = 0; i < c->n_conns; i++) {
		for (size_t j = 0; j < c->conns[i]->n_subflows; j++) {
			const struct nvme_mptcp_subflow *sf = &c->conns[i]->subflows[j];
			int64_t pmtu = sf->value[NVME_MPTCP_PMTU];

			if (!sf->link || pmtu <= 0 || pmtu >= sf->link->mtu ||
			    sf->state != STATE_ESTABLISHED)
				continue;
			f = finding(c, rule, "%s", sf->link->name);
			finding_why(
				c, f,
				"Packets larger than %lld bytes do not get through to %s, though "
				"the link takes %lld",
				(long long)pmtu, sf->remote_text, (long long)sf->link->mtu);
			finding_fact(c, f, "pmtu", "%lld", (long long)pmtu);
			finding_fact(c, f, "mtu", "%lld", (long long)sf->link->mtu);
			return;
		}
	}
}

static void same_link(struct check *c, const struct rule *rule)
{
	FOR_EACH_ENDPOINT(c, ep)
	{
		const struct nvme_mptcp_link *link = ep->device ? ep->device : ep->link;
		struct nvme_mptcp_finding *f;

		if (!matters(c, ep) || !link)
			continue;
		for (const struct nvme_mptcp_endpoint *earlier = c->snap->endpoints; earlier < ep;
		     earlier++) {
			if (!matters(c, earlier) ||
			    link != (earlier->device ? earlier->device : earlier->link))
				continue;
			f = about(c, rule, ep);
			finding_why(c, f,
				    "It is on the same link as endpoint %u: its subflows add no "
				    "bandwidth, and count against the limit",
				    earlier->id);
			finding_fact(c, f, "link", "%s", link->name);
			break;
		}
	}
}

/* What a way out by the endpoint's own device says. */
static void check_way(struct check *c, const struct rule *rule,
		      const struct nvme_mptcp_endpoint *ep, const struct portal *portal, bool v4)
{
	const struct nvme_mptcp_link *link = ep->device ? ep->device : ep->link;
	struct route_answer route = {};
	struct nvme_mptcp_finding *f;
	char target[ADDRESS_TEXT];
	int err = c->ops->route(c, &ep->ip, link->ifindex, &portal->address.ip, &route);

	/* With a device IPv4 never fails: without a route it takes the peer for a neighbour. */
	if (v4 ? err || route.gateway || is_on_link(c->snap, link->ifindex, &portal->address.ip)
	       : err != -ENETUNREACH && err != -EHOSTUNREACH)
		return;
	address_text(&portal->address.ip, target);
	f = about(c, rule, ep);
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
		const struct nvme_mptcp_link *link = ep->device ? ep->device : ep->link;
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
			f = about(c, rule, ep);
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
			f = about(c, rule, ep);
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

const struct rule link_rules[] = {
	{ "A02", NVME_MPTCP_ERROR, ON_BOTH, "Address that is not settled", tentative },
	{ "A03", NVME_MPTCP_INFO, ON_BOTH, "Deprecated address", deprecated },
	{ "A04", NVME_MPTCP_ERROR, ON_BOTH, "Link-local address without a device", link_local },
	{ "A05", NVME_MPTCP_WARNING, ON_HOST, "Loopback on one side only", loopback },
	{ "A06", NVME_MPTCP_ERROR, ON_BOTH, "Link switched off", link_down },
	{ "A07", NVME_MPTCP_ERROR, ON_BOTH, "Link without carrier", no_carrier },
	{ "A08", NVME_MPTCP_WARNING, ON_BOTH, "Link that belongs to another one", enslaved },
	{ "A09", NVME_MPTCP_WARNING, ON_HOST, "Different packet sizes", mtu_differs },
	{ "A10", NVME_MPTCP_INFO, ON_BOTH, "Two endpoints on one link", same_link },
	{ "R01", NVME_MPTCP_ERROR, ON_HOST, "No IPv6 route by the link", no_route6 },
	{ "R02", NVME_MPTCP_WARNING, ON_HOST, "No IPv4 route by the link", no_route4 },
	{ "R06", NVME_MPTCP_ERROR, ON_HOST, "Strict reverse path filter", reverse_path },
	{ "R07", NVME_MPTCP_WARNING, ON_BOTH, "Two links in one subnet", one_subnet },
	{},
};
