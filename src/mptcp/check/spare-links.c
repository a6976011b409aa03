// SPDX-License-Identifier: LGPL-2.1-or-later
/* Unused network cards, and what they need to reach an address that the target announces. */
#include <stdio.h>
#include <net/if.h>

#include "rules.h"
#include "mptcp/trial/trial-state.h"

#define LEAST_MTU6 1280 /* RFC 8200, section 5 */

static bool carries_on(const struct check *c, const struct nvme_mptcp_link *link, bool *alike)
{
	FOR_EACH_SUBFLOW(c, conn, sf) {
		if (!sf->link || !subflow_carries(sf))
			continue;
		*alike |= sf->link->kind == link->kind;
		if (link_shares_segment(sf->link, link))
			return true;
	}
	return false;
}

/* True if the link has its own route to another network. */
static bool leads_to_other_network(struct check *c, const struct nvme_mptcp_link *link,
				   const struct in6_addr *like)
{
	FOR_EACH(own, c->snap->addresses, c->snap->n_addresses) {
		struct route_answer route = {};

		if (own->ifindex == link->ifindex && address_same_family(&own->ip, like) &&
		    !c->ops->route(c, &own->ip, link->ifindex, like, &route) && !route.assumed)
			return true;
	}
	return false;
}

const struct local_address *check_link_address(const struct check *c,
					       const struct nvme_mptcp_link *link,
					       const struct in6_addr *like)
{
	const struct local_address *first = NULL;

	FOR_EACH(own, c->snap->addresses, c->snap->n_addresses) {
		if (own->ifindex != link->ifindex || IN6_IS_ADDR_LINKLOCAL(&own->ip) ||
		    (like && !address_same_family(&own->ip, like)))
			continue;
		/* The one in the network of @like comes first. */
		if (like && link_address_has(own, like))
			return own;
		if (!first)
			first = own;
	}
	return first;
}

/* /24 for IPv4, /64 for IPv6. */
bool check_is_similar_network(const struct in6_addr *x, const struct in6_addr *y, unsigned int bits)
{
	const struct prefix prefix = {
		.ip = *x,
		.length = (uint8_t)((address_is_v4(x) ? 96 + 24 : 64) - bits),
	};

	return prefix_has(&prefix, y);
}

/* True if a subflow to the address leaves over another link, which is in its network as well. */
static bool is_served_beside(const struct check *c, const struct nvme_mptcp_link *link,
			     const struct in6_addr *ip)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (sf->link && sf->link != link && subflow_carries(sf) &&
		    address_equal(&sf->remote.ip, ip) &&
		    link_network_has(c->snap, sf->link->ifindex, ip))
			return true;
	return false;
}

/*
 * True if the link's network has an address of the target that connections know. @mistyped: the
 * link may be meant for another network if the address is reached over another link.
 */
static bool reaches_known_address(const struct check *c, const struct nvme_mptcp_link *link,
				  bool mistyped)
{
	for (size_t i = 0; c->trial && c->trial->conn && i < c->trial->n_events; i++) {
		const struct in6_addr *ip = trial_announced(c->trial, i);

		if (ip && link_network_has(c->snap, link->ifindex, ip) &&
		    !(mistyped && is_served_beside(c, link, ip)))
			return true;
	}
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (link_network_has(c->snap, link->ifindex, &sf->remote.ip) &&
		    !(mistyped && is_served_beside(c, link, &sf->remote.ip)))
			return true;
	return false;
}

/* Return another link of this host that has one of the link's addresses, too; NULL: none. */
static const struct nvme_mptcp_link *copied_from(const struct check *c,
						 const struct nvme_mptcp_link *link)
{
	FOR_EACH(own, c->snap->addresses, c->snap->n_addresses)
		FOR_EACH(other, c->snap->addresses, c->snap->n_addresses)
			if (own->ifindex == link->ifindex && other->ifindex != link->ifindex &&
			    !IN6_IS_ADDR_LINKLOCAL(&own->ip) && address_equal(&own->ip, &other->ip))
				return link_by_index(c->snap, other->ifindex);
	return NULL;
}

/* True if the link's address differs from the network of @remote in one octet. */
static bool is_mistyped(const struct check *c, const struct nvme_mptcp_link *link,
			const struct in6_addr *remote)
{
	const struct local_address *own = check_link_address(c, link, remote);

	return own && check_is_similar_network(&own->ip, remote, SIMILAR_BITS);
}

/* Rate how likely the spare link is meant for @remote. */
static unsigned int rate_spare(const struct check *c, const struct nvme_mptcp_link *link,
			       const struct in6_addr *remote)
{
	const struct local_address *own = check_link_address(c, link, remote);

	return !own										? 2
	       : link_address_has(own, remote) || check_is_similar_network(&own->ip, remote, 0) ? 3
												: 1;
}

const struct nvme_mptcp_link *check_other_way(struct check *c, const struct in6_addr *remote,
					      const struct nvme_mptcp_link *by)
{
	FOR_EACH(link, c->snap->links, c->snap->n_links) {
		bool alike = false;

		if (link != by && link->kind != NVME_MPTCP_LINK_VIRTUAL && link_is_alive(link) &&
		    !(link->flags & IFF_LOOPBACK) && !link->master &&
		    !carries_on(c, link, &alike) &&
		    (link_network_has(c->snap, link->ifindex, remote) ||
		     leads_to_other_network(c, link, remote)))
			return link;
	}
	return NULL;
}

const struct nvme_mptcp_link *check_better_way(struct check *c, const struct in6_addr *remote,
					       const struct nvme_mptcp_link *by)
{
	const struct nvme_mptcp_link *other = by && !link_network_has(c->snap, by->ifindex, remote)
						      ? check_other_way(c, remote, by)
						      : NULL;
	const struct local_address *own = other ? check_link_address(c, other, remote) : NULL;
	struct path_ends ends = { .remote = { .ip = *remote } };
	const struct probe_result *way;

	if (!own || !c->n_portals)
		return NULL;
	ends.local = own->ip;
	ends.ifindex = other->ifindex;
	ends.remote.port = c->portals[0].address.port;
	way = check_probe_path(c, &ends);
	return way && (way->answered || way->refused) ? other : NULL;
}

void check_say_precedence(struct check *c, struct nvme_mptcp_finding *f,
			  const struct in6_addr *remote, const struct nvme_mptcp_link *by,
			  const struct nvme_mptcp_link *other)
{
	finding_why_more(c, f,
			 ", because the route over %s has precedence. Link %s carries nothing, and "
			 "the target answers over it: the route there has a greater metric or a "
			 "shorter prefix, or a routing rule (of a VPN, for example) comes before "
			 "it",
			 by->name, other->name);
	finding_fact(c, f, FACT_LEAVES_BY, "%s", by->name);
	finding_fact(c, f, "link", "%s", other->name);
	finding_drop_fixes(f);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip%s route show table all match %s",
		    address_is_v4(remote) ? "" : " -6", ADDRESS_STRING(remote));
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "%s show", fix_rule_tool(remote));
}

const struct nvme_mptcp_link *check_spare_link(struct check *c, const struct in6_addr *remote)
{
	const struct nvme_mptcp_link *best = NULL;

	FOR_EACH(link, c->snap->links, c->snap->n_links) {
		const bool near = link_network_has(c->snap, link->ifindex, remote);
		bool alike = false;

		if (link->kind == NVME_MPTCP_LINK_VIRTUAL || !link_is_alive(link) ||
		    (link->flags & IFF_LOOPBACK) || (link->master && !(link->in_vrf && near)) ||
		    carries_on(c, link, &alike) || !alike ||
		    (!near && reaches_known_address(c, link, is_mistyped(c, link, remote)) &&
		     !copied_from(c, link)) ||
		    (!(link->in_vrf && near) && leads_to_other_network(c, link, remote)))
			continue;
		if (!best || rate_spare(c, link, remote) > rate_spare(c, best, remote))
			best = link;
	}
	return best;
}

bool check_ipv6_is_disabled(struct check *c, const struct nvme_mptcp_link *link)
{
	char path[80];

	snprintf(path, sizeof(path), "net/ipv6/conf/%s/disable_ipv6", link->name);
	return c->ops->setting(c, path) == 1;
}

bool check_explain_ipv6_off(struct check *c, struct nvme_mptcp_finding *f,
			    const struct nvme_mptcp_endpoint *ep)
{
	if (address_is_v4(&ep->ip) || !ep->device || !check_ipv6_is_disabled(c, ep->device))
		return false;
	finding_why_more(c, f,
			 ". IPv6 is disabled on %s: set its addresses again after enabling it",
			 ep->device->name);
	finding_fact(c, f, "disable_ipv6", "1");
	finding_fix(c, f, check_side(c), "sysctl -w net/ipv6/conf/%s/disable_ipv6=0",
		    LINK_WORD(ep->device->name));
	return true;
}

/* True if connections reach the portal through a gateway. Then other links may need one, too. */
static bool leads_by_gateway(struct check *c, const struct in6_addr *like)
{
	struct route_answer route = {};

	for (size_t i = 0; i < c->n_portals; i++)
		if (address_same_family(&c->portals[i].address.ip, like) &&
		    !c->ops->route(c, NULL, 0, &c->portals[i].address.ip, &route) && route.gateway)
			return true;
	return false;
}

/* True for the last address of the network, which TCP cannot connect to. */
static bool is_broadcast_of(const struct local_address *own, const struct in6_addr *ip)
{
	const uint32_t hosts = own->prefix >= 96 + 31 ? 0 : 0xffffffffU >> (own->prefix - 96);

	return address_is_v4(ip) && hosts && link_address_has(own, ip) &&
	       (ntohl(ip->s6_addr32[3]) & hosts) == hosts;
}

static bool starts_in_vrf(const struct check *c, const struct nvme_mptcp_link *vrf)
{
	FOR_EACH_CONN(c, conn)
		if (conn->n_subflows && link_vrf_of(c->snap, &conn->subflows[0].local.ip) == vrf)
			return true;
	return false;
}

void check_advise_spare(struct check *c, struct nvme_mptcp_finding *f,
			const struct nvme_mptcp_link *spare, const struct in6_addr *remote)
{
	const struct local_address *own = check_link_address(c, spare, remote);
	const unsigned int family = address_is_v4(remote) ? 96 : 0;
	const struct nvme_mptcp_link *copied;
	const struct nvme_mptcp_link *vrf = link_vrf(c->snap, spare);
	char text[ADDRESS_TEXT], to[ADDRESS_TEXT];

	if (!address_is_v4(remote) && check_ipv6_is_disabled(c, spare)) {
		finding_why_more(c, f,
				 ". Link %s has a carrier, but IPv6 is disabled on it. Set its "
				 "addresses again after enabling it",
				 spare->name);
		finding_fact(c, f, "disable_ipv6", "1");
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "sysctl -w net/ipv6/conf/%s/disable_ipv6=0",
			    LINK_WORD(spare->name));
		return;
	}
	finding_fact(c, f, "link", "%s", spare->name);
	if (!address_is_v4(remote) && spare->mtu > 0 && spare->mtu < LEAST_MTU6) {
		finding_why_more(c, f,
				 ". Link %s has a carrier, but its MTU of %lld is too small for "
				 "IPv6, which needs %d: the kernel has removed its IPv6 addresses. "
				 "Set them again after raising it",
				 spare->name, (long long)spare->mtu, LEAST_MTU6);
		finding_number(c, f, "mtu", spare->mtu);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip link set dev %s mtu %d",
			    LINK_WORD(spare->name), LEAST_MTU6);
		return;
	}
	if (!own) {
		finding_why_more(c, f,
				 ". Link %s has a carrier but no %saddress: it needs one in that "
				 "network",
				 spare->name,
				 !check_link_address(c, spare, NULL) ? ""
				 : address_is_v4(remote)	     ? "IPv4 "
								     : "IPv6 ");
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip address show dev %s",
			    LINK_WORD(spare->name));
		return;
	}
	address_text(&own->ip, text);
	address_text(remote, to);
	copied = copied_from(c, spare);
	if (copied && !link_address_has(own, remote)) {
		finding_why_more(c, f,
				 ". Link %s has a carrier, but its address %s/%u is also on %s: it "
				 "needs one of its own in the network of %s",
				 spare->name, text, own->prefix - family, copied->name, to);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip address show to %s", text);
	} else if (is_broadcast_of(own, remote)) {
		finding_why_more(c, f,
				 ". The prefix length of %s/%u, the address of link %s, is too "
				 "long: %s is the broadcast address of that network",
				 text, own->prefix - family, spare->name, to);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip address show dev %s",
			    LINK_WORD(spare->name));
	} else if (link_address_has(own, remote) && vrf) {
		const bool inside = starts_in_vrf(c, vrf);

		finding_why_more(c, f,
				 ". Link %s has the address %s/%u in that network, but it belongs "
				 "to the VRF %s: %s",
				 spare->name, text, own->prefix - family, vrf->name,
				 inside ? "the kernel follows announced addresses outside of VRFs, "
					  "unless an endpoint with the flag fullmesh has the device"
					: "connections outside that VRF cannot use it");
		finding_fact(c, f, "vrf", "%s", vrf->name);
		if (inside)
			finding_fix(c, f, NVME_MPTCP_ROLE_HOST,
				    "ip mptcp endpoint add %s dev %s fullmesh", text,
				    LINK_WORD(spare->name));
		else
			finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip -d link show dev %s",
				    LINK_WORD(spare->name));
	} else if (link_address_has(own, remote)) {
		finding_why_more(c, f,
				 ". Link %s has the address %s/%u in that network, but the route "
				 "of that network is missing",
				 spare->name, text, own->prefix - family);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip route show dev %s",
			    LINK_WORD(spare->name));
	} else if (check_is_similar_network(&own->ip, remote, 0)) {
		finding_why_more(c, f,
				 ". The prefix length of %s/%u, the address of link %s, is too "
				 "long: %s is outside that network",
				 text, own->prefix - family, spare->name, to);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip address show dev %s",
			    LINK_WORD(spare->name));
	} else if (leads_by_gateway(c, remote)) {
		finding_why_more(c, f,
				 ". Link %s has a carrier and the address %s/%u: a route there "
				 "via a gateway of %s is missing",
				 spare->name, text, own->prefix - family, spare->name);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip%s route show dev %s",
			    address_is_v4(remote) ? "" : " -6", LINK_WORD(spare->name));
	} else {
		finding_why_more(c, f,
				 ". Link %s has a carrier, but its address %s/%u is in another "
				 "network: it needs one in the network of %s",
				 spare->name, text, own->prefix - family, to);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip address show dev %s",
			    LINK_WORD(spare->name));
	}
}

bool check_explain_precedence(struct check *c, struct nvme_mptcp_finding *f,
			      const struct in6_addr *remote, const struct nvme_mptcp_link *by)
{
	FOR_EACH(own, c->snap->addresses, c->snap->n_addresses) {
		const struct nvme_mptcp_link *link = link_by_index(c->snap, own->ifindex);
		struct route_answer route = {};
		bool alike = false;

		if (!link || link == by || !link_is_alive(link) ||
		    link->kind == NVME_MPTCP_LINK_VIRTUAL || carries_on(c, link, &alike) ||
		    !alike || !address_same_family(&own->ip, remote) ||
		    c->ops->route(c, NULL, link->ifindex, remote, &route) || route.assumed ||
		    !route.gateway || route.ifindex != link->ifindex ||
		    c->ops->route(c, &own->ip, link->ifindex, remote, &route) || route.is_default)
			continue;
		finding_why_more(c, f,
				 ". %s has a route to %s, but another route of this host, or a "
				 "routing rule, has precedence and leads there over %s",
				 link->name, ADDRESS_STRING(remote), by->name);
		finding_fact(c, f, "link", "%s", link->name);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "%s show", fix_rule_tool(remote));
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip%s route show table all match %s",
			    address_is_v4(remote) ? "" : " -6", ADDRESS_STRING(remote));
		return true;
	}
	return false;
}
