// SPDX-License-Identifier: LGPL-2.1-or-later
/* R08 and F10 of a target: announced addresses at which hosts get no answer. doc/mptcp-rules.md */
#include <net/if.h>

#include "rules.h"

void check_report_arp_off(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		const struct nvme_mptcp_link *link = endpoint_carrier(ep);
		struct nvme_mptcp_finding *f;

		if (!(c->role & ON_TARGET) || !endpoint_announces(ep) || !link ||
		    !link_is_alive(link) || link->kind == NVME_MPTCP_LINK_VIRTUAL ||
		    !(link->flags & IFF_NOARP) || (link->flags & IFF_POINTOPOINT) ||
		    check_carries(c, ep))
			continue;
		f = finding_add_endpoint(c, rule, ep);
		finding_set_side(f, NVME_MPTCP_ROLE_TARGET);
		finding_why_subject(c, f,
				    "is announced, but ARP is off on %s: hosts in its network get "
				    "no answer when they ask for its hardware address",
				    link->name);
		finding_fact(c, f, "link", "%s", link->name);
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip link set dev %s arp on",
			    LINK_WORD(link->name));
	}
}

void check_report_ipsec(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		struct nvme_mptcp_finding *f;
		struct ipsec ipsec;
		const char *peer;
		unsigned int length;

		if (!(c->role & ON_TARGET) || !c->ops->ipsec || !endpoint_announces(ep) ||
		    c->ops->ipsec(c, &ep->ip, &ipsec))
			continue;
		peer = ADDRESS_STRING(&ipsec.peer.ip);
		length = ipsec.peer.length - (address_is_v4(&ep->ip) ? 96U : 0U);
		f = finding_add_endpoint(c, rule, ep);
		finding_set_side(f, NVME_MPTCP_ROLE_TARGET);
		/* The first packet may start a negotiation: only a host knows that none arrive. */
		finding_set_severity(f, NVME_MPTCP_INFO);
		finding_why_subject(
			c, f,
			"is announced, and a policy of IPsec on the target drops what %s %s/%u: %s",
			ipsec.out ? "is sent from there to" : "arrives there from", peer, length,
			ipsec.blocks ? "its action is block"
				     : "it requires a security association, and there is none");
		finding_fact(c, f, FACT_IPSEC_PEER, "%s", peer);
		finding_fact(c, f, FACT_IPSEC_LENGTH, "%u", length);
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip xfrm policy list");
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip xfrm state list");
	}
}
