// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules for addresses: those that both sides have, and announced ones that hosts cannot reach. */
#include <errno.h>
#include <string.h>
#include <net/if.h>
#include <linux/rtnetlink.h>

#include "peer.h"
#include "mptcp/trial/trial-state.h"

/* True if an endpoint or subflow has the address, or a portal is in its network. */
static bool is_used_address(const struct check *host, const struct local_address *address)
{
	FOR_EACH_ENDPOINT(host, ep)
		if (!endpoint_has(ep, NVME_MPTCP_ENDPOINT_IMPLICIT) &&
		    address_equal(&ep->ip, &address->ip))
			return true;
	FOR_EACH_SUBFLOW(host, conn, sf)
		if (address_equal(&sf->local.ip, &address->ip))
			return true;
	for (size_t i = 0; i < host->n_portals; i++)
		if (link_address_has(address, &host->portals[i].address.ip))
			return true;
	return false;
}

/* True if nothing answers at the portal with MPTCP, as the target behind NAT would. */
static bool is_unlike_target(const struct check *host, const struct socket_address *portal)
{
	if (host->trial)
		return host->trial->outcome != NVME_MPTCP_TRIAL_MPTCP;
	FOR_EACH_CONN(host, conn)
		if (address_port_equal(&conn->remote, portal) && conn->fallback != 1)
			return false;
	return host->n_conns;
}

static void foreign_portals(struct check *c, const struct check *host, const struct check *target)
{
	for (size_t i = 0; i < host->n_portals && target->snap->n_addresses; i++) {
		const struct socket_address *portal = &host->portals[i].address;
		struct nvme_mptcp_finding *f;
		const char *text = ADDRESS_STRING(&portal->ip);

		if (snapshot_find_address(target->snap, &portal->ip) ||
		    IN6_IS_ADDR_LINKLOCAL(&portal->ip) || !is_unlike_target(host, portal) ||
		    peer_is_another_target(host, target, &portal->ip) ||
		    check_has_found_address(c, RULE_A13, &portal->ip))
			continue;
		f = finding_why(c, finding_add(c, RULE_A13, subject_address(&portal->ip)),
				"The host connects to %s, but no interface of the target has that "
				"address: if something answers there, it is another machine",
				text);
		finding_set_side(f, NVME_MPTCP_ROLE_HOST);
		finding_fact(c, f, FACT_PORTAL, "%s", text);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip neighbour show to %s", text);
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -br address show");
	}
}

/* True if the target announces an address that this host has on a card or on loopback. */
static bool is_announced_by(const struct check *target, const struct check *host,
			    const struct local_address *ours)
{
	const struct nvme_mptcp_link *link = link_by_index(host->snap, ours->ifindex);

	FOR_EACH_ENDPOINT(target, ep)
		if (endpoint_announces(ep) && address_equal(&ep->ip, &ours->ip))
			return link && !address_is_link_local(&ours->ip) &&
			       ((link->flags & IFF_LOOPBACK) ||
				link->kind != NVME_MPTCP_LINK_VIRTUAL);
	return false;
}

/* Only addresses that connections use: container bridges have the same address on every machine. */
void peer_compare_addresses(struct check *c, const struct check *host, const struct check *target)
{
	foreign_portals(c, host, target);
	FOR_EACH(ours, host->snap->addresses, host->snap->n_addresses) {
		const struct local_address *theirs = snapshot_find_address(target->snap, &ours->ip);
		const char *text = ADDRESS_STRING(&ours->ip);
		const char *here = LINK_STRING(host->snap, ours->ifindex);
		char there[LINK_TEXT];
		struct nvme_mptcp_finding *f;

		if (!theirs || ours->scope != RT_SCOPE_UNIVERSE || address_is_loopback(&ours->ip) ||
		    (!is_used_address(host, ours) && !is_announced_by(target, host, ours)) ||
		    check_has_found_address(c, RULE_A13, &ours->ip))
			continue;
		link_text(target->snap, theirs->ifindex, there);
		f = finding_why(c, finding_add(c, RULE_A13, subject_address(&ours->ip)),
				"Both sides have the address %s, the host on %s and the target on "
				"%s: packets to it never leave the sender",
				text, here, there);
		finding_set_side(f, NVME_MPTCP_ROLE_HOST);
		finding_fact(c, f, "host_link", "%s", here);
		finding_fact(c, f, "target_link", "%s", there);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip address show to %s", text);
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip address show to %s", text);
	}
}

/* Return the address at which the target has a connection of this host to another one; NULL: none. */
static const struct in6_addr *translated(const struct check *host, const struct check *target,
					 const struct in6_addr **portal)
{
	FOR_EACH_CONN(host, conn)
		FOR_EACH_CONN(target, other)
			if (address_port_equal(&other->remote, &conn->local) &&
			    !address_equal(&other->local.ip, &conn->remote.ip)) {
				*portal = &conn->remote.ip;
				return &other->local.ip;
			}
	return NULL;
}

/* Return an address of the link of @ip that this host reaches by a network of its own; NULL: none. */
static const struct local_address *reached_instead(const struct check *host,
						   const struct check *target,
						   const struct in6_addr *ip)
{
	const struct local_address *own = snapshot_find_address(target->snap, ip);

	FOR_EACH(address, target->snap->addresses, target->snap->n_addresses) {
		const int near = peer_neighbour_link(host, &address->ip);
		const struct nvme_mptcp_link *link = link_by_index(host->snap, near);

		if (own && address != own && address->ifindex == own->ifindex && link &&
		    link_is_alive(link) && address_same_family(&address->ip, ip) &&
		    !IN6_IS_ADDR_LINKLOCAL(&address->ip) && !check_is_segment_used(host, link))
			return address;
	}
	return NULL;
}

static const struct nvme_mptcp_endpoint *announced_as(const struct check *target,
						      const struct in6_addr *ip)
{
	FOR_EACH_ENDPOINT(target, ep)
		if (endpoint_announces(ep) && address_equal(&ep->ip, ip))
			return ep;
	return NULL;
}

/* Say what is wrong on the target with an announced address that no route of the host leads to. */
static void explain_unreachable(struct check *c, struct nvme_mptcp_finding *f, struct check *host,
				const struct check *target)
{
	const struct in6_addr *ip = &f->subject.ip[0], *portal = NULL, *inside;
	const struct nvme_mptcp_endpoint *ep = announced_as(target, ip);
	const struct local_address *other;
	const char *text = ADDRESS_STRING(ip);
	struct route_answer route = {};

	/* Other addresses of the target do not help where a route of the host forbids packets. */
	if (!ep || peer_neighbour_link(host, ip) ||
	    host->ops->route(host, NULL, 0, ip, &route) != -ENETUNREACH)
		return;
	inside = translated(host, target, &portal);
	other = inside ? NULL : reached_instead(host, target, ip);
	if (!inside && !other)
		return;
	finding_drop_fixes(f);
	f->side = NVME_MPTCP_ROLE_TARGET;
	if (inside) {
		const char *outer = ADDRESS_STRING(portal);

		f->rule = RULE_F09;
		finding_why(c, f,
			    "The host connects to %s, and the target gets that at its address %s: "
			    "there is address translation (NAT) between both, as in front of a "
			    "container. %s, which the target announces, is behind it, and no route "
			    "of the host leads there: announce the addresses that hosts use",
			    outer, ADDRESS_STRING(inside), text);
		finding_fact(c, f, "public", "%s", outer);
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip mptcp endpoint show");
		return;
	}
	f->rule = RULE_T01;
	finding_why(c, f,
		    "The target announces %s, which is in no network of the host. Its link %s also "
		    "has %s, which the host reaches: announce that, and delete endpoint %u if no "
		    "other host uses it",
		    text, LINK_STRING(target->snap, other->ifindex), ADDRESS_STRING(&other->ip),
		    ep->id);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip mptcp endpoint add %s dev %s signal",
		    ADDRESS_STRING(&other->ip),
		    LINK_WORD(LINK_STRING(target->snap, other->ifindex)));
	finding_fix_is(f, FIX_ADD);
}

void peer_compare_announced(struct check *c, struct check *host, const struct check *target)
{
	FOR_EACH(f, c->findings->finding, c->findings->n)
		if (f->rule == RULE_R01 && f->side == NVME_MPTCP_ROLE_HOST &&
		    f->subject.kind == NVME_MPTCP_SUBJECT_ADDRESS)
			explain_unreachable(c, f, host, target);
}
