// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rule A13, and addresses of the target that this host has. */
#include <net/if.h>

#include <string.h>

#include "rules.h"
#include "mptcp/trial/trial-state.h"

static void shared_address(struct check *c, enum rule_id rule, const struct in6_addr *ip,
			   const struct nvme_mptcp_link *link)
{
	struct nvme_mptcp_finding *f = finding_add(c, rule, subject_address(ip));
	const char *text = ADDRESS_STRING(ip);

	finding_why(c, f,
		    "The target's address %s is also on this host, on %s: packets to it never "
		    "leave this machine",
		    text, link ? link->name : "a link");
	if (link)
		finding_fact(c, f, "link", "%s", link->name);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip address show to %s", text);
}

/* Bridges of containers and links of service processors have one address on every machine. */
static void announced_everywhere(struct check *c, enum rule_id rule, const struct in6_addr *ip,
				 const struct nvme_mptcp_link *link)
{
	struct nvme_mptcp_finding *f = finding_add(c, rule, subject_address(ip));
	const unsigned int id = check_announced_id(c, ip);
	const char *kind = address_is_link_local(ip) ? "links to service processors"
						     : "bridges of containers and virtual machines";

	finding_set_severity(f, NVME_MPTCP_WARNING);
	finding_set_side(f, NVME_MPTCP_ROLE_TARGET);
	finding_why(c, f,
		    "The target announces %s, which this host also has, on %s: %s often have the "
		    "same address on every machine. Joins to it never leave this host; nothing "
		    "is lost if the target does not announce it",
		    ADDRESS_STRING(ip), link->name, kind);
	finding_fact(c, f, "link", "%s", link->name);
	if (id)
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip mptcp endpoint delete id %u", id);
}

static void report_own_announced(struct check *c, enum rule_id rule)
{
	for (size_t i = 0; c->trial && c->trial->conn && i < c->trial->n_events; i++) {
		const struct in6_addr *ip = trial_announced(c->trial, i);
		const struct nvme_mptcp_link *link = ip ? plan_link_by_ip(c->snap, ip) : NULL;

		if (!link || address_is_loopback(ip))
			continue;
		if (!(link->flags & IFF_LOOPBACK) &&
		    (link->kind == NVME_MPTCP_LINK_VIRTUAL || address_is_link_local(ip)))
			announced_everywhere(c, rule, ip, link);
		else
			shared_address(c, rule, ip, link);
	}
}

static bool is_card(const struct nvme_mptcp_link *link)
{
	return link->has_hardware && !link->master && link->kind != NVME_MPTCP_LINK_VIRTUAL &&
	       link_is_alive(link);
}

/* True if both cards of this host have one hardware address, and one switch learns it on both ports. */
static bool share_hardware(struct check *c, const struct nvme_mptcp_link *one,
			   const struct nvme_mptcp_link *other)
{
	if (!is_card(one) || memcmp(&one->hardware, &other->hardware, sizeof(one->hardware)) != 0 ||
	    link_shares_segment(one, other) || c->no_probes || !c->ops->same_broadcast_domain)
		return false;
	FOR_EACH(own, c->snap->addresses, c->snap->n_addresses)
		if (own->ifindex == one->ifindex && address_is_v4(&own->ip))
			return c->ops->same_broadcast_domain(c, one->ifindex, other->ifindex,
							     &own->ip, &own->ip);
	return false;
}

static void report_shared_hardware(struct check *c, enum rule_id rule)
{
	FOR_EACH(other, c->snap->links, c->snap->n_links)
		for (const struct nvme_mptcp_link *one = c->snap->links;
		     is_card(other) && one < other; one++) {
			struct nvme_mptcp_finding *f;

			if (!share_hardware(c, one, other))
				continue;
			f = finding_add(c, rule, subject_links(one->name, other->name));
			finding_set_severity(f, NVME_MPTCP_WARNING);
			finding_why(
				c, f,
				"Links %s and %s of this host have the same hardware address on "
				"one wire: a switch there delivers packets for both to only one of "
				"them. One of the two needs another hardware address",
				one->name, other->name);
			finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip link show dev %s",
				    LINK_WORD(one->name));
			finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip link show dev %s",
				    LINK_WORD(other->name));
		}
}

/* A13: this host also has an address of the target, so packets to it never leave this host. */
void rule_address_shared(struct check *c, enum rule_id rule)
{
	report_own_announced(c, rule);
	report_shared_hardware(c, rule);
	check_report_duplicates(c);
	if (c->trial && c->trial->outcome == NVME_MPTCP_TRIAL_MPTCP)
		return;
	FOR_EACH(portal, c->portals, c->n_portals) {
		const struct in6_addr *ip = &portal->address.ip;

		if (snapshot_find_address(c->snap, ip) && !(c->role & ON_TARGET) &&
		    !address_is_loopback(ip) &&
		    !snapshot_has_listener(c->snap, ip, portal->address.port))
			shared_address(c, rule, ip, plan_link_by_ip(c->snap, ip));
	}
}
