// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules C09 and C10: the trial finds no target. doc/mptcp-rules.md */
#include <errno.h>
#include <stdio.h>
#include <net/if.h>

#include "config.h"
#include "rules.h"
#include "lower-links.h"
#include "mptcp/trial/trial-state.h"

#define MAX_SOURCES 2 /* source addresses to try instead of the one that gets no reply */

const char *check_portal_text(const struct check *c, const char *between,
			      char words[static CHECK_PORTAL_TEXT])
{
	const struct nvme_mptcp_link *link =
		c->trial->scope ? link_by_index(c->snap, (int)c->trial->scope) : NULL;

	snprintf(words, CHECK_PORTAL_TEXT, "%s%s%s", ADDRESS_STRING(&c->trial->portal.ip),
		 link ? between : "", link ? LINK_WORD(link->name) : "");
	return words;
}

/* True if R09 reported a dead link on the route to the portal. Raises its severity. */
static bool is_dead_way(struct check *c)
{
	FOR_EACH(f, c->findings->finding, c->findings->n) {
		if (f->rule != RULE_R09 || f->severity < NVME_MPTCP_WARNING ||
		    !address_equal(&f->subject.ip[0], &c->trial->portal.ip))
			continue;
		f->severity = NVME_MPTCP_ERROR;
		return true;
	}
	return false;
}

/*
 * Report that no connection beyond those that work is accepted. For controllers, it stops joins.
 */
static bool report_limit(struct check *c, enum rule_id rule)
{
	const struct probe_result *probe_result;
	struct nvme_mptcp_finding *f;
	struct limited limited;
	struct path_ends ends;

	if (!check_portal_ends(c, &ends) || !(probe_result = check_probe_path(c, &ends)) ||
	    !check_is_limited(c, &ends, NULL, probe_result, &limited))
		return false;
	if (c->earlier)
		f = finding_add_path(c, limited.refused ? RULE_F02 : RULE_F01, &ends.local,
				     &ends.remote.ip);
	else
		f = finding_add(c, rule, subject_portal(c->trial->portal_text));
	finding_why(c, f, "Connecting to the target at %s fails", c->trial->portal_text);
	check_say_limited(c, f, &limited);
	return true;
}

/* Report a firewall: the machine is there, but its packets are dropped or rejected. */
static bool report_firewall(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_trial *trial = c->trial;
	const struct probe_result *probe_result = NULL;
	const char *words = NULL;
	struct path_ends ends;

	if (!check_portal_ends(c, &ends))
		return false;
	if (trial->err == ECONNREFUSED) {
		probe_result = check_probe_path(c, &ends);
		if (probe_result && (probe_result->rejected || probe_result->filtered))
			words = "a firewall rejects the connection: a closed port would refuse "
				"it with a different packet";
	} else if (trial->err == ETIMEDOUT) {
		if (check_answers_echo(c, &ends))
			words = "no answer, though an echo request gets one: a firewall drops "
				"packets to this port";
		else if (check_is_reported(c, &ends.local, &ends.remote, 0))
			words = "no answer, but the target reports an error in a packet: packets "
				"arrive, and the way back works. Its own firewall drops those to "
				"this port";
	}
	if (words) {
		struct nvme_mptcp_finding *f =
			finding_add(c, rule, subject_portal(trial->portal_text));

		finding_why(c, f, "Connecting to the target at %s fails: %s", trial->portal_text,
			    words);
		finding_fact(c, f, "errno", "%d", trial->err);
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
	}
	return words;
}

/* Report that an ICMP message rejects the connection. */
static bool report_rejected(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_trial *trial = c->trial;
	const struct probe_result *way = NULL;
	struct nvme_mptcp_finding *f;
	struct path_ends ends;
	bool own;

	if ((trial->err == EHOSTUNREACH || trial->err == ENETUNREACH || trial->err == EACCES) &&
	    check_portal_ends(c, &ends))
		way = check_probe_path(c, &ends);
	if (!way || !way->unreachable)
		return false;
	own = address_equal(&way->from, &ends.remote.ip);
	f = finding_add(c, rule, subject_portal(trial->portal_text));
	finding_why(c, f, "Connecting to the target at %s fails: %s rejects it: %s",
		    trial->portal_text, ADDRESS_STRING(&way->from),
		    own ? "that is the target's own address, so its firewall does"
			: check_rejection_text(way));
	finding_fact(c, f, "errno", "%d", trial->err);
	finding_fact(c, f, FACT_REJECTED_BY, "%s", ADDRESS_STRING(&way->from));
	if (own)
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
	else if (way->after_wait)
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -br address show");
	else
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip route get %s",
			    ADDRESS_STRING(&ends.remote.ip));
	return true;
}

/* Return an address of another link from which the target answers probes over this link; NULL if none. */
static const struct in6_addr *answered_from(struct check *c, const struct path_ends *ends)
{
	const struct local_address *own = snapshot_find_address(c->snap, &ends->local);

	for (size_t i = 0, n = 0; own && i < c->snap->n_addresses && n < MAX_SOURCES; i++) {
		const struct local_address *address = &c->snap->addresses[i];
		const struct nvme_mptcp_link *link = link_by_index(c->snap, address->ifindex);
		const struct path_ends other = { address->ip, ends->remote, own->ifindex };
		const struct probe_result *probe_result;

		if (!link || !link_is_alive(link) || link->ifindex == own->ifindex ||
		    link->kind == NVME_MPTCP_LINK_VIRTUAL ||
		    !link_address_is_global(address, address_is_v4(&ends->local)))
			continue;
		n++;
		probe_result = check_probe_path(c, &other);
		if (probe_result && (probe_result->answered || probe_result->refused) &&
		    probe_result->reply_link != own->ifindex)
			return &address->ip;
	}
	return NULL;
}

/* Report a target that receives packets but replies over a link where they do not arrive. */
static bool report_wrong_return(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_trial *trial = c->trial;
	const struct in6_addr *other = NULL;
	struct nvme_mptcp_finding *f;
	struct route_answer route = {};
	struct path_ends ends;

	if (trial->err == ETIMEDOUT && check_portal_ends(c, &ends))
		other = answered_from(c, &ends);
	if (!other)
		return false;
	f = finding_why(c, finding_add(c, rule, subject_portal(trial->portal_text)),
			"Connecting to the target at %s from %s fails, but it answers packets sent "
			"over the same link from %s. ",
			trial->portal_text, ADDRESS_STRING(&ends.local), ADDRESS_STRING(other));
	(void)c->ops->route(c, &ends.local, 0, &ends.remote.ip, &route);
	ends.ifindex = snapshot_find_address(c->snap, &ends.local)->ifindex;
	check_explain_return(c, f, &ends, other, !route.gateway);
	return true;
}

/* Add that an administrator disabled IPv6 on this host or one of its links. False if not so. */
static bool explain_ipv6_off(struct check *c, struct nvme_mptcp_finding *f)
{
	const struct nvme_mptcp_link *off = NULL;
	const bool everywhere = c->ops->setting(c, "net/ipv6/conf/all/disable_ipv6") == 1;

	if (address_is_v4(&c->trial->portal.ip) ||
	    (c->trial->err != EADDRNOTAVAIL && c->trial->err != ENETUNREACH))
		return false;
	for (size_t i = 0; i < c->snap->n_links && !everywhere && !off; i++) {
		const struct nvme_mptcp_link *link = &c->snap->links[i];

		if (link->kind != NVME_MPTCP_LINK_VIRTUAL && link_is_alive(link) &&
		    !(link->flags & IFF_LOOPBACK) && check_ipv6_is_disabled(c, link))
			off = link;
	}
	if (!everywhere && !off)
		return false;
	finding_why(c, f, "Connecting to the target at %s fails: IPv6 is disabled on %s%s",
		    c->trial->portal_text, off ? "link " : "this host", off ? off->name : "");
	finding_why_more(c, f, ". Set its addresses again after enabling it");
	finding_fact(c, f, "disable_ipv6", "1");
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "sysctl -w net/ipv6/conf/%s/disable_ipv6=0",
		    off ? LINK_WORD(off->name) : "all");
	return true;
}

/* Add that the link in the target's network does not work. False if it does, or there is none. */
static bool explain_dead_link(struct check *c, struct nvme_mptcp_finding *f)
{
	for (size_t i = 0; i < c->snap->n_addresses; i++) {
		const struct local_address *address = &c->snap->addresses[i];
		const struct nvme_mptcp_link *link = link_by_index(c->snap, address->ifindex);

		if (!link || !link_trouble(link) ||
		    !link_address_has(address, &c->trial->portal.ip))
			continue;
		finding_why_more(c, f, ". Link %s is in that network, and %s", link->name,
				 link_trouble(link));
		if (link_is_switched_off(link))
			fix_switch_on(c, f, link);
		return true;
	}
	return false;
}

/* Add that the links in the target's network are all in a VRF. False if they are not. */
static bool explain_vrf(struct check *c, struct nvme_mptcp_finding *f)
{
	const struct in6_addr *portal = &c->trial->portal.ip;
	const struct nvme_mptcp_link *vrf = NULL, *near = NULL;
	struct route_answer route;
	char words[CHECK_PORTAL_TEXT];

	if (link_vrf_of(c->snap, &c->trial->local.ip))
		return false;
	FOR_EACH(address, c->snap->addresses, c->snap->n_addresses) {
		const struct nvme_mptcp_link *link = link_by_index(c->snap, address->ifindex);

		if (!link || !link_is_alive(link) || !link_address_has(address, portal))
			continue;
		if (!link->in_vrf)
			return false;
		near = link;
		vrf = link_vrf(c->snap, link);
	}
	/* A trial that was bound to the VRF has failed by its routes. */
	if (!vrf || c->ops->route(c, NULL, vrf->ifindex, portal, &route))
		return false;
	finding_why_more(c, f,
			 ". Link %s is in that network, but it belongs to the VRF %s, which only "
			 "connections that are bound to it use: connect with --host-iface=%s",
			 near->name, vrf->name, vrf->name);
	finding_fact(c, f, "vrf", "%s", vrf->name);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST,
		    NVME_MPTCP_COMMAND " check --traddr %s --trsvcid %u --host-iface %s",
		    check_portal_text(c, "%", words), c->trial->portal.port, LINK_WORD(vrf->name));
	return true;
}

/* Add the link and router that packets use: a VPN or a default route may take them elsewhere. */
static void explain_route(struct check *c, struct nvme_mptcp_finding *f)
{
	const struct probe_result *probe_result;
	struct route_answer free = {}, route = {};
	char text[ADDRESS_TEXT];
	struct path_ends ends;
	bool is_mute;

	if (c->trial->err != ETIMEDOUT || !check_portal_ends(c, &ends) ||
	    c->ops->route(c, NULL, 0, &ends.remote.ip, &free) ||
	    c->ops->route(c, &ends.local, free.ifindex, &ends.remote.ip, &route))
		return;
	probe_result = check_probe_path(c, &ends);
	is_mute = route.gateway && probe_result && probe_result->traced && !probe_result->hops;
	if (is_mute)
		finding_why(c, f, "Connecting to the target at %s fails: no answer",
			    c->trial->portal_text);
	finding_why_more(c, f, ". Packets leave over %s", LINK_STRING(c->snap, route.ifindex));
	if (route.gateway && !IN6_IS_ADDR_UNSPECIFIED(&route.hop)) {
		address_text(&route.hop, text);
		finding_why_more(c, f, " through the %srouter %s",
				 route.is_default ? "default " : "", text);
	}
	if (is_mute)
		finding_why_more(c, f, ": " MUTE_ROUTER);
	if (!probe_result || !probe_result->hops)
		return;
	address_text(&probe_result->last, text);
	finding_why_more(c, f, ", and the last router that answers is %s", text);
	finding_fact(c, f, FACT_ROUTER, "%s", text);
}

/* Explain that the next hop on the way to the portal does not answer. */
static bool explain_silent_hop(struct check *c, struct nvme_mptcp_finding *f)
{
	struct route_answer route = {};
	struct path_ends ends;

	if (c->trial->err != EHOSTUNREACH || !check_portal_ends(c, &ends) ||
	    c->ops->route(c, &ends.local, 0, &ends.remote.ip, &route))
		return false;
	if (IN6_IS_ADDR_UNSPECIFIED(&route.hop))
		route.hop = ends.remote.ip;
	if (!check_hop_is_silent(c, &route))
		return false;
	ends.ifindex = route.ifindex;
	if (!check_explain_silent_hop(c, f, &route, &ends)) {
		if (!route.gateway)
			return false;
		finding_why_more(c, f, ". It is the router %s that does not answer on %s",
				 ADDRESS_STRING(&route.hop), LINK_STRING(c->snap, route.ifindex));
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip%s route get %s",
			    address_is_v4(&ends.remote.ip) ? "" : " -6",
			    ADDRESS_STRING(&ends.remote.ip));
	}
	return true;
}

/* Explain that a route or rule of this host forbids the connection or leads it over the wrong link. */
static bool explain_own_route(struct check *c, struct nvme_mptcp_finding *f)
{
	const struct in6_addr *remote = &c->trial->portal.ip;
	const struct nvme_mptcp_link *by, *other;
	struct route_answer route = {};
	const int err = c->ops->route(c, NULL, 0, remote, &route);
	char name[FORBIDDING_TEXT];
	const char *text;

	if (err == -c->trial->err && (err == -EACCES || err == -EINVAL || err == -EHOSTUNREACH)) {
		text = check_name_forbidding(c, NULL, remote, 0, name);
		finding_why(c, f, "Connecting to the target at %s fails: %s forbids it",
			    c->trial->portal_text, text);
		check_show_forbidding(c, f, remote, text);
		return true;
	}
	by = err ? NULL : link_by_index(c->snap, route.ifindex);
	other = c->trial->err == ETIMEDOUT || c->trial->err == EHOSTUNREACH
			? check_better_way(c, remote, by)
			: NULL;
	if (!other)
		return false;
	finding_why(c, f, "Connecting to the target at %s fails", c->trial->portal_text);
	check_say_precedence(c, f, remote, by, other);
	return true;
}

void rule_target_unreachable(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_trial *trial = c->trial;
	struct nvme_mptcp_finding *f;
	char words[CHECK_PORTAL_TEXT];
	struct path_ends ends;

	if (!trial || (trial->outcome != NVME_MPTCP_TRIAL_NO_CONNECTION &&
		       trial->outcome != NVME_MPTCP_TRIAL_NO_SOCKET))
		return;
	/* These findings are more specific. */
	if (check_has_found(c, RULE_K01) || check_has_found(c, RULE_K02) ||
	    check_has_found(c, RULE_K03) || check_has_found(c, RULE_A13) || is_dead_way(c) ||
	    (check_portal_ends(c, &ends) &&
	     check_has_path_finding(c, &ends.local, &ends.remote.ip)))
		return;
	if (report_limit(c, rule) || report_firewall(c, rule) || report_rejected(c, rule) ||
	    report_wrong_return(c, rule))
		return;
	f = finding_add(c, rule, subject_portal(trial->portal_text));
	finding_why(c, f, "Connecting to the target at %s fails: %s", trial->portal_text,
		    trial->reason);
	finding_fact(c, f, "errno", "%d", trial->err);
	if (explain_ipv6_off(c, f) || explain_vrf(c, f) || explain_dead_link(c, f) ||
	    explain_own_route(c, f) || explain_silent_hop(c, f))
		return;
	explain_route(c, f);
	/* Nothing was sent, so the target is not involved. */
	if (trial->err == EADDRNOTAVAIL) {
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "sysctl net.ipv4.ip_local_port_range");
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ss -s");
		return;
	}
	if (trial->err == ECONNREFUSED)
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
			    "grep . /sys/kernel/config/nvmet/ports/*/addr_*");
	else
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip route get %s",
			    check_portal_text(c, " dev ", words));
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, NVME_MPTCP_COMMAND " check --role target");
}

void rule_no_target(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_trial *trial = c->trial;
	struct nvme_mptcp_finding *f;

	if (!trial || trial->outcome != NVME_MPTCP_TRIAL_NO_TARGET)
		return;
	f = finding_add(c, rule, subject_portal(trial->portal_text));
	finding_why(c, f, "No NVMe target answers at %s: %s", trial->portal_text, trial->reason);
	finding_fact(c, f, "mptcp", "%s",
		     !trial->conn		  ? "unknown"
		     : trial->conn->fallback == 1 ? "no"
						  : "yes");
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "grep . /sys/kernel/config/nvmet/ports/*/addr_*");
}
