// SPDX-License-Identifier: LGPL-2.1-or-later
/* F10, A12 and C17: probes show why a path fails where joins only show that. doc/mptcp-rules.md */
#include <errno.h>
#include <stdio.h>
#include <net/if.h>
#include <string.h>
#include <linux/neighbour.h>

#include "rules.h"
#include "packet-loss.h"
#include "mptcp/snapshot/wire.h"
#include "mptcp/trial/trial-state.h"

#define NUD_USABLE (NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE)
#define NUD_REACHED (NUD_REACHABLE | NUD_DELAY | NUD_PROBE)
#define TCP_HEADER 32 /* with time stamps */

bool check_has_path_finding(const struct check *c, const struct in6_addr *local,
			    const struct in6_addr *remote)
{
	return check_has_found_path(c, RULE_F10, local, remote) ||
	       check_has_found_path(c, RULE_R05, local, remote) ||
	       check_has_found_address(c, RULE_A13, local) ||
	       check_has_found_address(c, RULE_A13, remote);
}

void check_port_text(const struct check *c, const struct socket_address *remote,
		     char words[static CHECK_PORT_TEXT])
{
	*words = '\0';
	if (!remote->port || !c->n_portals)
		return;
	for (size_t i = 0; i < c->n_portals; i++) {
		const uint16_t port = c->trial ? c->trial->portal.port : c->portals[i].address.port;

		if (!port || remote->port == port)
			return;
	}
	snprintf(words, CHECK_PORT_TEXT, " to port %u", remote->port);
}

const char *check_rejection_text(const struct probe_result *way)
{
	return way->filtered   ? "its ICMP message names a firewall there"
	       : way->expired  ? "routers forward it in a loop until its hop limit is used up"
	       : way->no_route ? "that router has no route to the target's address"
	       : way->at_once
		       ? "that router has a route of type unreachable to the target's address"
	       : way->after_wait
		       ? "no machine in the network behind it answers: the target's link there or a "
			 "further router is down, or the target's address is gone"
		       : "that router has a route of type unreachable to the target's address, or no "
			 "machine in the network behind it has that address";
}

struct nvme_mptcp_finding *check_report_rejected_join(struct check *c, const struct in6_addr *local,
						      const struct socket_address *remote,
						      const struct probe_result *probe_result)
{
	const struct nvme_mptcp_link *link = plan_link_by_ip(c->snap, local);
	struct nvme_mptcp_finding *f = finding_add_path(c, RULE_F02, local, &remote->ip);
	const char *name = link ? link->name : "its link";
	const struct path_ends ends = { *local, *remote, 0 };
	char from[ADDRESS_TEXT] = "", port[CHECK_PORT_TEXT];
	struct route_answer route = {};
	bool filtered;

	check_port_text(c, remote, port);
	if (probe_result && probe_result->unreachable)
		address_text(&probe_result->from, from);
	filtered = *from &&
		   (probe_result->filtered || address_equal(&probe_result->from, &remote->ip));
	if (!*from)
		finding_why(c, f,
			    "The join over %s%s is rejected: a firewall or a router reports that "
			    "the target cannot be reached, although the next hop answers",
			    name, port);
	else if (address_equal(&probe_result->from, &remote->ip))
		finding_why(c, f,
			    "The join over %s%s is rejected by %s, the target's own address: a "
			    "firewall of the target rejects it",
			    name, port, from);
	else
		finding_why(c, f, "The join over %s%s is rejected by %s: %s", name, port, from,
			    check_rejection_text(probe_result));
	if (*from)
		finding_fact(c, f, FACT_REJECTED_BY, "%s", from);
	if (!*from || filtered)
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
	else if (!probe_result->no_route && !probe_result->expired && !probe_result->at_once)
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -br address show");
	if (!filtered &&
	    !(*from && (probe_result->no_route || probe_result->expired || probe_result->at_once)))
		finding_fix_is(f, FIX_INSPECT);
	if (*from && link && probe_result->no_route &&
	    !c->ops->route(c, local, link->ifindex, &remote->ip, &route) &&
	    address_equal(&route.hop, &probe_result->from))
		check_explain_other_router(c, f, &route, &ends);
	return f;
}

/* The kernel is still resolving the next hop, or has given up. */
bool check_hop_is_silent(struct check *c, const struct route_answer *route)
{
	int state = check_neighbour_state(c, route->ifindex, &route->hop);

	return state > 0 && (state & (NUD_FAILED | NUD_INCOMPLETE));
}

struct nvme_mptcp_finding *check_report_dropped_arp(struct check *c, const struct in6_addr *local,
						    const struct in6_addr *remote,
						    const struct route_answer *route)
{
	struct nvme_mptcp_finding *f;

	if (!check_hears_probes(c, route, local))
		return NULL;
	f = finding_add_path(c, RULE_F10, local, remote);
	finding_why(c, f,
		    "This host's own firewall drops ARP on %s: the next hop %s answers a request "
		    "that this check sends from %s, but none of the kernel's",
		    LINK_STRING(c->snap, route->ifindex), ADDRESS_STRING(&route->hop),
		    ADDRESS_STRING(local));
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nft list ruleset");
	return f;
}

bool check_report_untold_arp(struct check *c, const struct path_ends *ends,
			     const struct nvme_mptcp_link *link)
{
	const struct local_address *own = snapshot_find_address(c->snap, &ends->local);
	struct nvme_mptcp_finding *f;
	bool ignored;

	/* Another link must not claim the address. */
	if (!link || !own || own->ifindex != link->ifindex || check_is_enslaved(c, link) ||
	    !check_answers_once_told(c, ends, link->ifindex))
		return false;
	ignored = check_link_setting(c, link, "arp_ignore") >= 3;
	f = finding_add_path(c, RULE_F10, &ends->local, &ends->remote.ip);
	finding_why(c, f,
		    "This host does not answer ARP requests for %s on %s, so the target cannot "
		    "reply: it does once this check has told it the hardware address. %s",
		    ADDRESS_STRING(&ends->local), link->name,
		    ignored ? "The setting arp_ignore forbids the answer"
			    : "This host's own firewall drops ARP");
	if (ignored)
		fix_arp(c, f, NVME_MPTCP_ROLE_HOST, &link, 1);
	else
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nft list ruleset");
	return true;
}

static const struct nvme_mptcp_link *link_of(const struct check *c, const struct path_ends *ends)
{
	return ends->ifindex ? link_by_index(c->snap, ends->ifindex)
			     : plan_link_by_ip(c->snap, &ends->local);
}

/*
 * True if the next hop is resolved, or if nothing tried to resolve it though it answers. Then the
 * link did not stop the packet. The kernel also drops entries without an answer when it has many.
 */
static bool is_hop_fine(struct check *c, const struct route_answer *route,
			const struct probe_result *probe_result)
{
	int state = check_neighbour_state(c, route->ifindex, &route->hop);

	if (IN6_IS_ADDR_UNSPECIFIED(&route->hop))
		return false;
	/* A request for the next hop shows that the firewall let the packet pass. */
	if (state == -ENOENT)
		return !probe_result->hop_solicited &&
		       check_hop_answers(c, route->ifindex, &route->hop);
	return state >= 0 && (state & NUD_USABLE);
}

/* True if a SYN appears on a bridge of this host but on no port, or a reply on a port alone. */
static bool is_kept_by_bridge(const struct check *c, const struct nvme_mptcp_link *link,
			      const struct probe_result *way)
{
	const struct nvme_mptcp_link *by = link_by_index(c->snap, way->reply_link);

	if (!link_joins_ports(link))
		return false;
	return way->answered ? by && by->master == link->ifindex
			     : way->sent_link == link->ifindex && way->sent_below == link->ifindex;
}

static void report_own_firewall(struct check *c, const struct path_ends *ends,
				const struct nvme_mptcp_link *link,
				const struct probe_result *probe_result)
{
	struct nvme_mptcp_finding *f =
		finding_add_path(c, RULE_F10, &ends->local, &ends->remote.ip);

	if (probe_result->hop_filtered)
		finding_why(c, f, "This host's own firewall drops %s on %s: %s",
			    address_is_v4(&ends->local) ? "ARP" : "neighbour discovery (ICMPv6)",
			    link ? link->name : "their link",
			    probe_result->hop_advertised
				    ? "the reply with the next hop's hardware address "
				      "arrives there, but does not reach the kernel"
				    : "no request for the next hop's hardware address leaves");
	else if (is_kept_by_bridge(c, link, probe_result))
		finding_why(
			c, f,
			probe_result->answered
				? "This host's own firewall drops the target's replies in %s: a "
				  "SYN/ACK arrives at a port of that bridge, but not at the bridge"
				: "This host's own firewall drops packets that leave over %s: the "
				  "SYN of a connection to the target appears on that bridge, but on "
				  "none of its ports (nft's family bridge, or ebtables)",
			link->name);
	else
		finding_why(c, f,
			    probe_result->answered
				    ? "This host's own firewall drops the target's replies "
				      "on %s: a SYN/ACK arrives there, but does not reach TCP"
				    : "This host's own firewall drops packets that leave over %s: "
				      "the SYN of a connection to the target appears on no link",
			    link ? link->name : "their link");
	finding_fact(c, f, "sent", "%s", probe_result->sent ? "yes" : "no");
	finding_fact(c, f, "answered", "%s", probe_result->answered ? "yes" : "no");
	if (probe_result->err)
		finding_fact(c, f, "errno", "%d", probe_result->err);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nft list ruleset");
	/* A traffic control filter does the same. */
	if (link && probe_result->hop_filtered && !probe_result->hop_advertised)
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "tc filter show dev %s egress",
			    LINK_WORD(link->name));
}

/* R05 of the target: no network and no wire has both links, so routes are the cause and not ARP. */
static void report_return_route(struct check *c, const struct path_ends *ends,
				const struct nvme_mptcp_link *link, const char *reply_link)
{
	struct nvme_mptcp_finding *f =
		finding_add_path(c, RULE_R05, &ends->local, &ends->remote.ip);
	const char *local = ADDRESS_STRING(&ends->local),
		   *remote = ADDRESS_STRING(&ends->remote.ip);

	finding_set_side(f, NVME_MPTCP_ROLE_TARGET);
	finding_set_severity(f, NVME_MPTCP_ERROR);
	finding_why(c, f,
		    "The target answers joins from %s to %s over the link to %s "
		    "instead of %s, and this host drops the answers: a route of "
		    "the target to %s, or a routing rule for %s, leads there",
		    local, remote, reply_link, link->name, local, remote);
	finding_fact(c, f, "arrives_by", "%s", reply_link);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip route get %s from %s", local, remote);
}

static void report_reply_link(struct check *c, const struct path_ends *ends,
			      const struct nvme_mptcp_link *link,
			      const struct probe_result *probe_result)
{
	struct nvme_mptcp_finding *f;
	const struct nvme_mptcp_link *const both[] = {
		link, link_by_index(c->snap, probe_result->reply_link)
	};
	const char *local = ADDRESS_STRING(&ends->local),
		   *by = LINK_STRING(c->snap, probe_result->reply_link);

	if (!link_network_has(c->snap, probe_result->reply_link, &ends->local) &&
	    !(c->ops->same_broadcast_domain &&
	      c->ops->same_broadcast_domain(c, link->ifindex, probe_result->reply_link,
					    &ends->local, &ends->remote.ip))) {
		report_return_route(c, ends, link, by);
		return;
	}
	f = finding_why(
		c, finding_add_path(c, RULE_F10, &ends->local, &ends->remote.ip),
		"Replies to packets that leave over %s arrive over %s: the target assigns %s to "
		"that link, which happens if both links of this host answer ARP for either address",
		link->name, by, local);
	finding_fact(c, f, "leaves_by", "%s", link->name);
	finding_fact(c, f, "arrives_by", "%s", by);
	fix_arp(c, f, NVME_MPTCP_ROLE_HOST, both, both[1] ? 2 : 1);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip neighbour flush to %s", local);
}

static void report_forbidden_path(struct check *c, const struct path_ends *ends, int err)
{
	struct nvme_mptcp_finding *f =
		finding_add_path(c, RULE_F10, &ends->local, &ends->remote.ip);
	char name[FORBIDDING_TEXT];
	const char *text =
		check_name_forbidding(c, &ends->local, &ends->remote.ip, ends->ifindex, name);

	if (text != name)
		finding_why(c, f,
			    "This host's own routing forbids the connection: a rule or route of "
			    "type %s applies to it",
			    check_forbidding_type(err) ?: "unreachable");
	else
		finding_why(c, f,
			    "This host's own routing forbids the connection: %s applies to it",
			    text);
	finding_fact(c, f, "errno", "%d", -err);
	check_show_forbidding(c, f, &ends->remote.ip, text);
}

/* True if the address is on this link. H08 reports one on another link, where replies arrive. */
static bool is_link_address(const struct check *c, const struct in6_addr *local,
			    const struct nvme_mptcp_link *link)
{
	const struct local_address *own = snapshot_find_address(c->snap, local);

	return !own || own->ifindex == link->ifindex;
}

static enum path_verdict judge_way(struct check *c, struct path_probe *asked)
{
	const struct path_ends *ends = &asked->ends;
	const struct nvme_mptcp_link *link = link_of(c, ends);
	struct route_answer route = {};
	const struct probe_result *probe_result;
	int err;

	/* Packets to loopback or to an address of this host (A13) are on no link. */
	if ((link && !link_is_alive(link)) || address_is_loopback(&ends->remote.ip) ||
	    snapshot_find_address(c->snap, &ends->remote.ip) ||
	    check_has_found_path(c, RULE_R01, &ends->local, &ends->remote.ip))
		return PATH_OK;
	err = c->ops->route(c, &ends->local, ends->ifindex, &ends->remote.ip, &route);
	if (!err && route.assumed)
		err = check_prohibiting_route(c, &ends->local, &ends->remote.ip);
	asked->forbidden = err;
	if (err == -EACCES || err == -EINVAL || err == -EHOSTUNREACH)
		return PATH_PROHIBITED;
	if (!err && check_is_misdelivered(c, ends))
		return PATH_MISDELIVERED;
	probe_result = err || check_has_found(c, RULE_R06) ? NULL : check_probe_path(c, ends);
	if (!probe_result || !probe_result->known || probe_result->connected)
		return PATH_OK;
	if (check_is_diverted(c, ends, probe_result))
		return PATH_DIVERTED;
	if (probe_result->refused || probe_result->unreachable)
		return PATH_OK;
	if (is_kept_by_bridge(c, link, probe_result))
		return PATH_FILTERED;
	if (probe_result->answered && link && probe_result->reply_link != link->ifindex)
		return is_link_address(c, &ends->local, link) ? PATH_ASYMMETRIC : PATH_OK;
	return probe_result->answered || probe_result->hop_filtered ||
			       (!probe_result->sent && is_hop_fine(c, &route, probe_result))
		       ? PATH_FILTERED
		       : PATH_OK;
}

/* Connections share a few paths, so each is judged once. */
void check_report_path(struct check *c, const struct path_ends *ends)
{
	const struct nvme_mptcp_link *link = link_of(c, ends);
	struct path_probe *asked = check_find_probe(c, ends);

	if (!asked)
		return;
	if (!asked->is_judged)
		asked->verdict = judge_way(c, asked);
	asked->is_judged = true;
	if (check_has_path_finding(c, &ends->local, &ends->remote.ip))
		return;
	switch (asked->verdict) {
	case PATH_OK:
		return;
	case PATH_FILTERED:
		report_own_firewall(c, ends, link, &asked->answer);
		return;
	case PATH_ASYMMETRIC:
		report_reply_link(c, ends, link, &asked->answer);
		return;
	case PATH_PROHIBITED:
		report_forbidden_path(c, ends, asked->forbidden);
		return;
	case PATH_DIVERTED:
		check_report_diverted(c, ends, &asked->answer, false);
		return;
	case PATH_MISDELIVERED:
		check_report_misdelivered(c, ends);
	}
}

/* The join failed with an error before the target decided about it. */
static bool is_failure(const struct nvme_mptcp_event *ev)
{
	int64_t err = ev->value[NVME_MPTCP_EVENT_ERROR];

	return ev->type == NVME_MPTCP_EVENT_SUBFLOW_CLOSED && ev->has_local && ev->has_remote &&
	       (err == ECONNREFUSED || err == EHOSTUNREACH || err == ENETUNREACH || err == EACCES ||
		err == EPERM || err == ETIMEDOUT);
}

/* The machine that answered did not accept the join. */
static bool is_join_denied(const struct nvme_mptcp_event *ev)
{
	return ev->type == NVME_MPTCP_EVENT_SUBFLOW_CLOSED && ev->has_local && ev->has_remote &&
	       ev->value[NVME_MPTCP_EVENT_ERROR] <= 0;
}

/* F10 for overdue joins of connections, and for failed joins of a trial. */
void rule_local_drop(struct check *c, enum rule_id rule)
{
	struct path_ends ends;

	check_report_ipsec(c, rule);
	if (!(c->role & ON_HOST))
		return;
	FOR_EACH_SUBFLOW(c, conn, sf) {
		ends = (struct path_ends){ sf->local.ip, sf->remote, sf->ifindex };
		if (subflow_is_overdue(sf))
			check_report_path(c, &ends);
	}
	for (size_t i = 0; c->trial && i < c->trial->n_events; i++) {
		check_ends_of(&c->trial->events[i], &ends);
		if (is_failure(&c->trial->events[i]))
			check_report_path(c, &ends);
		else if (is_join_denied(&c->trial->events[i]))
			check_report_misdelivered(c, &ends);
	}
	if (check_portal_ends(c, &ends))
		check_report_path(c, &ends);
	if (check_counter_growth(c, "MPTcpExt", "MPJoinSynTxConnectErr"))
		check_report_forbidden(c);
}

/* Use the size of TCP's packets: the other side may have asked for less than the link's MTU. */
static int64_t packet_size(const struct nvme_mptcp_subflow *sf)
{
	int64_t mss = sf->value[NVME_MPTCP_MSS], pmtu = sf->value[NVME_MPTCP_PMTU];
	int64_t size = mss + TCP_HEADER + (address_is_v4(&sf->local.ip) ? 20 : 40);

	if (mss <= 0 || sf->link->mtu <= 0)
		return 0;
	size = size < sf->link->mtu ? size : sf->link->mtu;
	return pmtu > 0 && pmtu < size ? pmtu : size;
}

static bool has_probe(const struct size_probe *probe, size_t n, const struct size_probe *one)
{
	for (size_t i = 0; i < n; i++)
		if (check_same_ends(&probe[i].ends, &one->ends))
			return true;
	return false;
}

/* List each path with an established subflow once. */
static size_t list_paths(const struct check *c, struct size_probe probe[static SIZES])
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_conns && n < SIZES; i++) {
		for (size_t j = 0; j < c->conns[i]->n_subflows && n < SIZES; j++) {
			const struct nvme_mptcp_subflow *sf = &c->conns[i]->subflows[j];
			struct size_probe one = { .ends = { sf->local.ip, sf->remote,
							    sf->link ? sf->link->ifindex : 0 } };

			/* A target's remote ports are those of its hosts' sockets, which all differ. */
			if (c->role & ON_TARGET)
				one.ends.remote.port = 0;
			if (sf->state != STATE_ESTABLISHED || !sf->link ||
			    (sf->link->flags & IFF_LOOPBACK))
				continue;
			one.bound = sf->ifindex;
			one.mtu = packet_size(sf);
			if (one.mtu > 0 && !has_probe(probe, n, &one))
				probe[n++] = one;
		}
	}
	return n;
}

size_t check_ask_paths(struct check *c)
{
	if (!c->paths_known && !c->no_probes && c->ops->sizes) {
		c->n_paths = list_paths(c, c->paths);
		if (c->n_paths)
			c->ops->sizes(c, c->paths, c->n_paths);
	}
	c->paths_known = true;
	return c->n_paths;
}

void rule_large_packets_lost(struct check *c, enum rule_id rule)
{
	check_report_losses(c, rule, check_ask_paths(c));
}

/* Idle TCP does not notice a failed path. If no echo is answered, try a new connection. */
static bool is_dead(struct check *c, const struct size_probe *path, const struct probe_result **ret)
{
	const struct path_ends ends = { path->ends.local, path->ends.remote, path->bound };

	if (path->small || path->large || path->told || check_path_growth(c, &path->ends) > 0)
		return false;
	/* A12 reports a path that loses some. */
	if (path->echoes)
		return false;
	*ret = check_probe_path(c, &ends);
	return *ret && (*ret)->known && !(*ret)->connected && !(*ret)->answered && !(*ret)->refused;
}

static void explain_silent_path(struct check *c, struct nvme_mptcp_finding *f,
				const struct size_probe *path)
{
	struct route_answer route = {};
	char hop[ADDRESS_TEXT];
	int state;

	if (c->ops->route(c, &path->ends.local, path->ends.ifindex, &path->ends.remote.ip,
			  &route) ||
	    IN6_IS_ADDR_UNSPECIFIED(&route.hop))
		return;
	state = check_neighbour_state(c, route.ifindex, &route.hop);
	address_text(&route.hop, hop);
	if (state > 0 && ((state & (NUD_FAILED | NUD_INCOMPLETE)) ||
			  !check_hop_answers(c, route.ifindex, &route.hop))) {
		finding_why_more(c, f,
				 ": the path is dead, because the next hop %s does not answer on "
				 "the link",
				 hop);
		finding_fact(c, f, FACT_NEXT_HOP, "%s", hop);
	} else if (state > 0 && (state & NUD_REACHED))
		finding_why_more(c, f,
				 ", though the next hop %s answers on the link: %s drops packets",
				 hop,
				 route.gateway ? "a router or a firewall beyond it"
					       : "a firewall of the target");
	else
		finding_why_more(c, f, ": the path is dead");
}

void rule_path_silent(struct check *c, enum rule_id rule)
{
	const size_t paths = c->role & ON_TARGET ? 0 : check_ask_paths(c);
	/* A trial's paths have just worked. */
	const size_t n = c->trial ? 0 : paths;

	check_report_returns(c, paths);
	FOR_EACH(path, c->paths, n) {
		const struct nvme_mptcp_link *link = link_of(c, &path->ends);
		const struct nvme_mptcp_link *owner = plan_link_by_ip(c->snap, &path->ends.local);
		const struct path_ends ends = { path->ends.local, path->ends.remote, path->bound };
		const struct probe_result *probe_result;
		const char *local = ADDRESS_STRING(&path->ends.local);
		const char *remote = ADDRESS_STRING(&path->ends.remote.ip);
		struct nvme_mptcp_finding *f;
		bool few;

		/* Other rules report links that are down and data that is not acknowledged. */
		if (!link || !link_is_alive(link) || !owner || !link_is_alive(owner) ||
		    check_has_found_link(c, RULE_C04, link->name) ||
		    check_has_found_address(c, RULE_R01, &path->ends.remote.ip) ||
		    check_has_found_link(c, rule, link->name) || !is_dead(c, path, &probe_result))
			continue;
		f = finding_why(c, finding_add(c, rule, subject_link(link->name)),
				"Link %s has subflows from %s to %s that are established and idle, "
				"and %s answers neither an echo request nor a new connection there",
				link->name, local, remote, remote);
		few = check_explain_few_hops(c, f, &ends, probe_result);
		if (!few)
			explain_silent_path(c, f, path);
		finding_fact(c, f, "local", "%s", local);
		finding_fact(c, f, FACT_REMOTE, "%s", remote);
		finding_fact(c, f, "sent", "%s", probe_result->sent ? "yes" : "no");
		if (probe_result->err)
			finding_fact(c, f, "errno", "%d", probe_result->err);
		if (!few)
			finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -br link show");
	}
}
