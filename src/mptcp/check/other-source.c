// SPDX-License-Identifier: LGPL-2.1-or-later
/* Another address of the same link from which packets to the target are answered. */
#include <linux/if_addr.h>

#include "rules.h"

#define UNUSED (IFA_F_TENTATIVE | IFA_F_DADFAILED | IFA_F_DEPRECATED | IFA_F_TEMPORARY)

/* Addresses that are tried: each may take as long as a connection without an answer. */
#define MOST_SOURCES 4

const struct local_address *check_other_source(struct check *c, const struct path_ends *ends)
{
	const struct local_address *own = snapshot_find_address(c->snap, &ends->local);
	size_t tried = 0;

	FOR_EACH(other, c->snap->addresses, c->snap->n_addresses) {
		struct path_ends from = *ends;
		const struct probe_result *way;

		if (!own || other->ifindex != own->ifindex || (other->flags & UNUSED) ||
		    address_equal(&other->ip, &own->ip) ||
		    !address_same_family(&other->ip, &own->ip) ||
		    !link_address_is_global(other, address_is_v4(&other->ip)))
			continue;
		if (tried++ == MOST_SOURCES)
			break;
		from.local = other->ip;
		from.ifindex = own->ifindex;
		way = check_probe_path(c, &from);
		if (way && way->connected)
			return other;
	}
	return NULL;
}

bool check_say_other_source(struct check *c, struct nvme_mptcp_finding *f,
			    const struct path_ends *ends)
{
	const struct local_address *own = snapshot_find_address(c->snap, &ends->local);
	const struct local_address *other = own ? check_other_source(c, ends) : NULL;
	const struct nvme_mptcp_link *link = other ? link_by_index(c->snap, own->ifindex) : NULL;
	const struct nvme_mptcp_endpoint *from = NULL;
	const char *local = ADDRESS_STRING(&ends->local);
	char text[ENDPOINT_SPEC_TEXT];
	struct endpoint_spec spec;

	if (!link)
		return false;
	finding_fact(c, f, FACT_ANSWERED_FROM, "%s", ADDRESS_STRING(&other->ip));
	if (own->flags & IFA_F_TEMPORARY) {
		finding_why_more(
			c, f,
			". It accepts a connection from %s, another address of %s. %s is a "
			"temporary address (RFC 8981), which changes and which the firewall "
			"does not know: allow the network there, or start from lasting "
			"addresses",
			ADDRESS_STRING(&other->ip), link->name, local);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "sysctl -w net/ipv6/conf/%s/use_tempaddr=1",
			    LINK_WORD(link->name));
		return true;
	}
	FOR_EACH_ENDPOINT(c, ep)
		if (endpoint_starts_subflows(ep) && address_equal(&ep->ip, &ends->local))
			from = ep;
	finding_why_more(
		c, f,
		". A connection from %s, another address of %s, is accepted: the target has "
		"no way back to %s, or filters it",
		ADDRESS_STRING(&other->ip), link->name, local);
	if (from && fix_delete(c, f, from)) {
		endpoint_spec_of(c->snap, from, &spec);
		spec.ip = other->ip;
		str_copy(spec.device, sizeof(spec.device), link->name, strlen(link->name));
		endpoint_spec_text(&spec, text);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip mptcp endpoint add %s", text);
	}
	return true;
}
