// SPDX-License-Identifier: LGPL-2.1-or-later
/* The far end of a tunnel that carries nothing. */
#include "rules.h"
#include "lower-links.h"
#include "mptcp/snapshot/wire.h"

bool check_explain_far_end(struct check *c, struct nvme_mptcp_finding *f,
			   const struct nvme_mptcp_link *tunnel)
{
	const char *far_end = ADDRESS_STRING(&tunnel->far_end);
	struct path_ends ends = { .remote = { .ip = tunnel->far_end } };
	struct route_answer route = {};

	if (!link_is_tunnel(tunnel) || IN6_IS_ADDR_UNSPECIFIED(&tunnel->far_end) ||
	    IN6_IS_ADDR_MULTICAST(&tunnel->far_end) ||
	    c->ops->route(c, NULL, 0, &tunnel->far_end, &route))
		return false;
	ends.local = route.source;
	finding_why(c, f, "%s is a tunnel to %s (remote), ", tunnel->name, far_end);
	if (!check_answers_echo(c, &ends) && !check_hop_answers(c, route.ifindex, &route.hop))
		finding_why_more(
			c, f,
			"and %s%s does not answer on %s: the tunnel has a wrong far end, or "
			"that machine is down",
			route.gateway ? "the router to it, " : "",
			route.gateway ? ADDRESS_STRING(&route.hop) : "that address",
			LINK_STRING(c->snap, route.ifindex));
	else if (!check_answers_echo(c, &ends))
		finding_why_more(c, f,
				 "which answers no echo request: the tunnel has a wrong far "
				 "end, that machine is down, or a firewall drops the request");
	else
		finding_why_more(
			c, f,
			"and that machine answers, but nothing arrives through the tunnel: "
			"the far end has another remote address, number (such as a VNI) or "
			"port, or a firewall drops the tunnel's packets");
	finding_fact(c, f, "link", "%s", tunnel->name);
	finding_fact(c, f, "far_end", "%s", far_end);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip -d link show dev %s", LINK_WORD(tunnel->name));
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -br address show");
	return true;
}
