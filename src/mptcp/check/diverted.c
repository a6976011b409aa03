// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * F10 for packets that leave otherwise than the routes of their socket have it. The kernel reports
 * neither the rules of its firewall nor their effect, but the wire of a probe shows it.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>

#include "rules.h"
#include "mptcp/trial/trial-state.h"

#define MAX_MARKS 8

enum diversion {
	DIVERSION_NONE,
	DIVERSION_HOPS, /* the hop limit is used up on the way */
	DIVERSION_SOURCE, /* another source address */
	DIVERSION_DESTINATION,
	DIVERSION_LINK, /* over another link */
	DIVERSION_LOST, /* by a mark whose route leads nowhere */
	DIVERSION_HERE, /* to this host itself */
};

/* Return the link that packets leave over, without marks; NULL if it is not known. */
static const struct nvme_mptcp_link *expected_link(struct check *c, const struct path_ends *ends,
						   struct route_answer *route)
{
	if (c->ops->route(c, &ends->local, ends->ifindex, &ends->remote.ip, route))
		return NULL;
	return link_by_index(c->snap, route->ifindex);
}

static bool is_other_link(const struct check *c, const struct nvme_mptcp_link *expected,
			  int ifindex)
{
	const struct nvme_mptcp_link *by = link_by_index(c->snap, ifindex);

	return expected && by && by != expected && !(by->flags & IFF_LOOPBACK) &&
	       !link_shares_segment(by, expected) && expected->master != by->ifindex &&
	       by->master != expected->ifindex;
}

static bool is_hop_silent(struct check *c, const struct route_answer *route)
{
	int state = c->ops->neighbour(c, route->ifindex, &route->hop);

	return state > 0 && (state & (NUD_FAILED | NUD_INCOMPLETE));
}

/*
 * Find a firewall mark whose routing rule explains where packets go: @ifindex, or if that is 0, to
 * a next hop that does not answer or to a route that forbids them.
 */
static bool find_mark(struct check *c, const struct path_ends *ends,
		      const struct nvme_mptcp_link *expected, int ifindex, struct marked_route *ret)
{
	for (size_t i = 0; c->ops->marked_route && i < MAX_MARKS; i++) {
		if (!c->ops->marked_route(c, ends, i, ret))
			break;
		if (ifindex    ? !ret->err && ret->route.ifindex == ifindex
		    : ret->err ? route_is_none(ret->err)
			       : is_other_link(c, expected, ret->route.ifindex) &&
					 is_hop_silent(c, &ret->route))
			return true;
	}
	*ret = (struct marked_route){};
	return false;
}

static enum diversion judge(struct check *c, const struct path_ends *ends,
			    const struct probe_result *way, struct marked_route *mark)
{
	const struct nvme_mptcp_link *expected, *owner;
	struct route_answer route = {};

	*mark = (struct marked_route){};
	if (!way || !way->known)
		return DIVERSION_NONE;
	expected = expected_link(c, ends, &route);
	/* A relay gets packets without changing their destination. */
	if (!way->sent && way->looped && !address_port_equal(&way->sent_to, &ends->remote))
		return DIVERSION_HERE;
	if (!way->sent)
		return expected && !way->err && !way->hop_filtered &&
				       find_mark(c, ends, expected, 0, mark)
			       ? DIVERSION_LOST
			       : DIVERSION_NONE;
	if (way->expired && way->sent_ttl && way->sent_ttl < FEW_HOPS)
		return DIVERSION_HOPS;
	owner = plan_link_by_ip(c->snap, &way->sent_from);
	if (!IN6_IS_ADDR_UNSPECIFIED(&way->sent_from) &&
	    !address_equal(&way->sent_from, &ends->local) && (!owner || owner != expected))
		return DIVERSION_SOURCE;
	if (way->sent_to.port && !address_port_equal(&way->sent_to, &ends->remote))
		return DIVERSION_DESTINATION;
	/* Of several next hops a hash picks one, and the probe's class may have a rule of its own. */
	return is_other_link(c, expected, way->sent_link) && !check_has_ways(c, &ends->remote.ip) &&
			       find_mark(c, ends, expected, way->sent_link, mark)
		       ? DIVERSION_LINK
		       : DIVERSION_NONE;
}

bool check_is_diverted(struct check *c, const struct path_ends *ends,
		       const struct probe_result *way)
{
	struct marked_route mark;

	return judge(c, ends, way, &mark) != DIVERSION_NONE;
}

bool check_may_be_diverted(struct check *c, const struct path_ends *ends)
{
	struct marked_route mark;

	/* Source NAT needs connection tracking, which has entries then. */
	return (c->ops->marked_route && c->ops->marked_route(c, ends, 0, &mark)) ||
	       c->ops->setting(c, "net/netfilter/nf_conntrack_count") > 0;
}

/* Add where the hop limit of packets is set. */
static void add_origin(struct check *c, struct nvme_mptcp_finding *f, const struct path_ends *ends,
		       unsigned int hops)
{
	struct route_answer route = {};
	const struct nvme_mptcp_link *link = expected_link(c, ends, &route);
	const bool v4 = address_is_v4(&ends->remote.ip);
	char path[80] = "net/ipv4/ip_default_ttl";

	if (link && route.hop_limit == hops) {
		finding_why_more(c, f, ": the route there sets it (hoplimit %u)", hops);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip%s route show table all match %s",
			    v4 ? "" : " -6", ADDRESS_STRING(&ends->remote.ip));
		return;
	}
	if (link && !v4)
		snprintf(path, sizeof(path), "net/ipv6/conf/%s/hop_limit", link->name);
	if (c->ops->setting(c, path) == hops) {
		finding_why_more(
			c, f, ": the setting %s%s", path,
			v4 ? " is too small"
			   : " is too small, set by hand or by an announcement of a router");
		if (v4)
			finding_fix(c, f, NVME_MPTCP_ROLE_HOST,
				    "sysctl -w net.ipv4.ip_default_ttl=64");
		else if (link)
			finding_fix(c, f, NVME_MPTCP_ROLE_HOST,
				    "sysctl -w net/ipv6/conf/%s/hop_limit=64",
				    LINK_WORD(link->name));
		return;
	}
	finding_why_more(c, f, ": this host's own firewall sets it");
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nft list ruleset");
}

bool check_explain_few_hops(struct check *c, struct nvme_mptcp_finding *f,
			    const struct path_ends *ends, const struct probe_result *way)
{
	struct marked_route mark;

	if (judge(c, ends, way, &mark) != DIVERSION_HOPS)
		return false;
	finding_why_more(c, f,
			 ": this host sends packets with a hop limit (TTL) of %u, which is used "
			 "up at the router %s",
			 way->sent_ttl, ADDRESS_STRING(&way->from));
	finding_fact(c, f, "hop_limit", "%u", way->sent_ttl);
	add_origin(c, f, ends, way->sent_ttl);
	return true;
}

static void explain_source(struct check *c, struct nvme_mptcp_finding *f,
			   const struct path_ends *ends, const struct probe_result *way)
{
	const bool answered = way->answered || way->refused || way->connected;

	finding_why(c, f,
		    "This host's own firewall replaces the source address %s of packets to %s that "
		    "leave over %s by %s (source NAT, such as masquerade)",
		    ADDRESS_STRING(&ends->local), ADDRESS_STRING(&ends->remote.ip),
		    LINK_STRING(c->snap, way->sent_link), ADDRESS_STRING(&way->sent_from));
	if (!answered)
		finding_why_more(c, f, ": no reply arrives");
	else if (way->reply_link != way->sent_link)
		finding_why_more(c, f, ": replies arrive over %s",
				 LINK_STRING(c->snap, way->reply_link));
	finding_fact(c, f, "source", "%s", ADDRESS_STRING(&way->sent_from));
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nft list ruleset");
}

static void explain_link(struct check *c, struct nvme_mptcp_finding *f,
			 const struct path_ends *ends, const struct probe_result *way,
			 const struct marked_route *mark)
{
	struct route_answer route = {};
	const struct nvme_mptcp_link *expected = expected_link(c, ends, &route);
	const char *local = ADDRESS_STRING(&ends->local);
	const char *remote = ADDRESS_STRING(&ends->remote.ip);
	const int by = way->sent ? way->sent_link : mark->route.ifindex;

	if (way->sent)
		finding_why(c, f, "Packets from %s to %s leave over %s instead of %s", local,
			    remote, LINK_STRING(c->snap, by),
			    expected ? expected->name : "its link");
	else
		finding_why(c, f, "Packets from %s to %s leave over no link", local, remote);
	finding_fact(c, f, FACT_LEAVES_BY, "%s", way->sent ? LINK_STRING(c->snap, by) : "none");
	finding_why_more(c, f,
			 ": this host's own firewall marks them, and the routing rule for the mark "
			 "0x%x (fwmark) ",
			 mark->mark);
	if (mark->err)
		finding_why_more(c, f, "leads to a route that forbids them");
	else if (way->sent)
		finding_why_more(c, f, "leads there");
	else
		finding_why_more(c, f, "leads over %s to %s, which does not answer",
				 LINK_STRING(c->snap, by), ADDRESS_STRING(&mark->route.hop));
	finding_fact(c, f, "mark", "0x%x", mark->mark);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "%s show", fix_rule_tool(&ends->local));
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nft list ruleset");
}

void check_report_diverted(struct check *c, const struct path_ends *ends,
			   const struct probe_result *way, bool works)
{
	struct marked_route mark;
	const enum diversion how = judge(c, ends, way, &mark);
	struct route_answer route = {};
	const struct nvme_mptcp_link *link = expected_link(c, ends, &route);
	struct nvme_mptcp_finding *f;

	if (how == DIVERSION_NONE)
		return;
	f = finding_add_path(c, RULE_F10, &ends->local, &ends->remote.ip);
	if (works)
		finding_set_severity(f, NVME_MPTCP_WARNING);
	switch (how) {
	case DIVERSION_HOPS:
		finding_why(c, f, "Packets from %s to %s do not arrive",
			    ADDRESS_STRING(&ends->local), ADDRESS_STRING(&ends->remote.ip));
		check_explain_few_hops(c, f, ends, way);
		return;
	case DIVERSION_SOURCE:
		explain_source(c, f, ends, way);
		return;
	case DIVERSION_HERE:
		finding_why(
			c, f,
			"This host's own firewall sends packets from %s to %s, port %u, to %s, port "
			"%u, of this host itself (destination NAT, such as redirect), instead of "
			"over %s: none leaves",
			ADDRESS_STRING(&ends->local), ADDRESS_STRING(&ends->remote.ip),
			ends->remote.port, ADDRESS_STRING(&way->sent_to.ip), way->sent_to.port,
			link ? link->name : "its link");
		finding_fact(c, f, "destination", "%s", ADDRESS_STRING(&way->sent_to.ip));
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nft list ruleset");
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "iptables -t nat -S OUTPUT");
		return;
	case DIVERSION_DESTINATION:
		finding_why(c, f,
			    "This host's own firewall replaces the destination of packets from %s "
			    "to %s, port %u, by %s, port %u (destination NAT), over %s",
			    ADDRESS_STRING(&ends->local), ADDRESS_STRING(&ends->remote.ip),
			    ends->remote.port, ADDRESS_STRING(&way->sent_to.ip), way->sent_to.port,
			    LINK_STRING(c->snap, way->sent_link));
		finding_fact(c, f, "destination", "%s", ADDRESS_STRING(&way->sent_to.ip));
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nft list ruleset");
		return;
	default:
		explain_link(c, f, ends, way, &mark);
	}
}

static bool is_carried_to(const struct check *c, const struct in6_addr *remote)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (address_equal(&sf->remote.ip, remote))
			return true;
	return false;
}

void check_report_forbidden(struct check *c)
{
	for (size_t i = 0; c->trial && c->trial->conn && i < c->trial->n_events; i++) {
		const struct in6_addr *remote = trial_announced(c->trial, i);
		struct route_answer route = {};
		const struct probe_result *way;
		struct nvme_mptcp_finding *f;
		struct path_ends ends;

		if (!remote || is_carried_to(c, remote) ||
		    c->ops->route(c, NULL, 0, remote, &route) ||
		    IN6_IS_ADDR_UNSPECIFIED(&route.source))
			continue;
		ends = (struct path_ends){ route.source, { .ip = *remote }, 0 };
		ends.remote.port = c->trial->portal.port;
		way = check_probe_path(c, &ends);
		if (!way || !way->known || way->sent || way->err != EPERM)
			continue;
		f = finding_add_path(c, RULE_F10, &ends.local, remote);
		finding_why(
			c, f,
			"This host forbids packets from %s to %s (operation not permitted), as a "
			"policy of IPsec does: no join is sent",
			ADDRESS_STRING(&ends.local), ADDRESS_STRING(remote));
		finding_fact(c, f, "errno", "%d", way->err);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip xfrm policy list");
	}
}

/* True if no subflow to the address works, or one that starts from this source. */
static bool may_start_from(const struct check *c, const struct in6_addr *remote,
			   const struct in6_addr *source)
{
	bool joined = false;

	FOR_EACH_SUBFLOW(c, conn, sf) {
		if (!subflow_carries(sf) || !address_equal(&sf->remote.ip, remote))
			continue;
		if (address_equal(&sf->local.ip, source))
			return true;
		joined = true;
	}
	return !joined;
}

const char *check_why_unused(const struct check *c, const struct nvme_mptcp_link *link,
			     const struct in6_addr *remote, const struct local_address **ret)
{
	FOR_EACH(own, c->snap->addresses, c->snap->n_addresses) {
		*ret = own;
		if (own->ifindex != link->ifindex || address_is_v4(remote) ||
		    !address_same_family(&own->ip, remote) || !link_address_has(own, remote))
			continue;
		return own->flags & IFA_F_DADFAILED   ? "another machine has it as well (dadfailed)"
		       : own->flags & IFA_F_TENTATIVE ? "it is tentative"
		       : own->flags & IFA_F_DEPRECATED ? "it is deprecated"
						       : NULL;
	}
	return NULL;
}

bool check_report_foreign_source(struct check *c, enum rule_id rule, const struct in6_addr *remote)
{
	const struct nvme_mptcp_link *owner, *by;
	const char *text = ADDRESS_STRING(remote), *why;
	const struct local_address *own = NULL;
	struct route_answer route = {};
	struct nvme_mptcp_finding *f;

	if (c->ops->route(c, NULL, 0, remote, &route) || route.gateway ||
	    IN6_IS_ADDR_UNSPECIFIED(&route.source))
		return false;
	by = link_by_index(c->snap, route.ifindex);
	owner = plan_link_by_ip(c->snap, &route.source);
	if (!by || !owner || owner == by || owner->kind == NVME_MPTCP_LINK_VIRTUAL ||
	    !link_network_has(c->snap, by->ifindex, remote) ||
	    !may_start_from(c, remote, &route.source))
		return false;
	f = finding_add(c, rule, subject_address(remote));
	why = check_why_unused(c, by, remote, &own);
	if (why)
		finding_why(
			c, f,
			"The target announces %s, which is in the network of %s, but nothing "
			"starts from the address %s of that link: %s. The kernel takes %s of %s "
			"instead, and replies are sent to that link",
			text, by->name, ADDRESS_STRING(&own->ip), why,
			ADDRESS_STRING(&route.source), owner->name);
	else
		finding_why(
			c, f,
			"The target announces %s, which is in the network of %s, but a route "
			"there sets the source address %s (src) of %s: replies are sent to that "
			"link",
			text, by->name, ADDRESS_STRING(&route.source), owner->name);
	finding_set_severity(f, NVME_MPTCP_WARNING);
	finding_fact(c, f, FACT_ANNOUNCED, "%s", text);
	finding_fact(c, f, "link", "%s", by->name);
	if (why)
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip -6 address show dev %s",
			    LINK_WORD(by->name));
	else
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip%s route get %s",
			    address_is_v4(remote) ? "" : " -6", text);
	return true;
}
