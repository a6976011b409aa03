// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rule A13, and addresses of the target that this host has. */
#include <net/if.h>

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

/* A13: this host also has an address of the target, so packets to it never leave this host. */
void rule_address_shared(struct check *c, enum rule_id rule)
{
	report_own_announced(c, rule);
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
