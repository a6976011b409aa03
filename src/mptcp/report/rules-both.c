// SPDX-License-Identifier: LGPL-2.1-or-later
/* What both sides have and only one may have. doc/mptcp-rules.md */
#include <linux/rtnetlink.h>

#include "peer.h"

/* Do connections use it: as the address of an endpoint, or in the network that a portal is in? */
static bool matters(const struct check *host, const struct local_address *address)
{
	FOR_EACH_ENDPOINT(host, ep)
		if (address_equal(&ep->ip, &address->ip))
			return true;
	for (size_t i = 0; i < host->n_conns; i++)
		for (size_t j = 0; j < host->conns[i]->n_subflows; j++)
			if (address_equal(&host->conns[i]->subflows[j].local.ip, &address->ip))
				return true;
	for (size_t i = 0; i < host->n_portals; i++)
		if (link_address_has(address, &host->portals[i].address.ip))
			return true;
	return false;
}

/* Bridges of containers have the same address on every machine, and nobody minds. */
void peer_compare_addresses(struct check *c, const struct check *host, const struct check *target)
{
	for (size_t i = 0; i < host->snap->n_addresses; i++) {
		const struct local_address *ours = &host->snap->addresses[i];
		const struct local_address *theirs = snapshot_find_address(target->snap, &ours->ip);
		char text[ADDRESS_TEXT], here[LINK_TEXT], there[LINK_TEXT];
		struct nvme_mptcp_finding *f;

		if (!theirs || ours->scope != RT_SCOPE_UNIVERSE || address_is_loopback(&ours->ip) ||
		    !matters(host, ours))
			continue;
		address_text(&ours->ip, text);
		link_text(host->snap, ours->ifindex, here);
		link_text(target->snap, theirs->ifindex, there);
		f = finding_add(c, RULE_A13, subject_address(&ours->ip));
		if (f)
			f->side = NVME_MPTCP_ROLE_HOST;
		finding_why(c, f,
			    "Both sides have the address %s, the host on %s and the target on %s: "
			    "what one sends to it never leaves that machine",
			    text, here, there);
		finding_fact(c, f, "host_link", "%s", here);
		finding_fact(c, f, "target_link", "%s", there);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip address show to %s", text);
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip address show to %s", text);
	}
}
