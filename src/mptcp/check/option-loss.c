// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find where the MPTCP option (TCP option 30) of SYNs is lost, or the target has no MPTCP. */
#include "config.h"
#include "option-loss.h"
#include "rules.h"

#define MAX_PROBED_LINKS 3 /* other links to probe */

/* True if a plain TCP connection succeeds. Used where a SYN with the option fails. */
static bool connects_plain(struct check *c, const struct path_ends *ends)
{
	struct path_ends plain = *ends;
	const struct probe_result *way;

	plain.option = OPTION_NONE;
	way = check_probe_path(c, &plain);
	return way && way->connected;
}

/* True if SYNs with the option are dropped, by a probe or the count of retries without it. */
static bool is_dropped(struct check *c, const struct path_ends *ends,
		       const struct probe_result *way)
{
	if (!way || !way->known)
		return check_counter_total(c, "MPTcpExt", "MPCapableSYNTXDrop") > 0;
	return !way->answered && !way->refused && connects_plain(c, ends);
}

/* Return another link over which the target answers with the option; NULL if none is known. */
static const struct nvme_mptcp_link *way_with_option(struct check *c, const struct path_ends *ends)
{
	const struct local_address *own = snapshot_find_address(c->snap, &ends->local);
	size_t n = 0;

	for (size_t i = 0; i < c->snap->n_addresses && n < MAX_PROBED_LINKS; i++) {
		const struct local_address *address = &c->snap->addresses[i];
		const struct nvme_mptcp_link *link = link_by_index(c->snap, address->ifindex);
		struct path_ends other = { address->ip, ends->remote, address->ifindex,
					   OPTION_CAPABLE };
		const struct probe_result *way;
		struct route_answer route;

		if (!link || !link_is_alive(link) || (own && own->ifindex == link->ifindex) ||
		    !link_address_is_global(address, address_is_v4(&ends->remote.ip)) ||
		    c->ops->route(c, &address->ip, link->ifindex, &ends->remote.ip, &route) ||
		    route.assumed || route.ifindex != link->ifindex)
			continue;
		n++;
		way = check_probe_path(c, &other);
		if (way && way->option_answered)
			return link;
	}
	return NULL;
}

/* True if packets to that end do not leave this host, so that no link shows them. */
static bool is_on_no_link(const struct check *c, const struct path_ends *ends)
{
	return address_is_loopback(&ends->remote.ip) ||
	       snapshot_find_address(c->snap, &ends->remote.ip);
}

bool check_drops_option(struct check *c, const struct path_ends *ends)
{
	struct path_ends asked = *ends;
	const struct probe_result *way;

	if (is_on_no_link(c, ends))
		return false;
	asked.option = OPTION_CAPABLE;
	way = check_probe_path(c, &asked);
	return way && way->known && is_dropped(c, &asked, way);
}

static const char *lost_on_this_host(struct check *c, const struct path_ends *ends)
{
	const struct probe_result *way = check_probe_path(c, ends);

	if (!way || !way->known || ends->option == OPTION_NONE || is_on_no_link(c, ends))
		return NULL;
	if (!way->sent && !way->err && connects_plain(c, ends))
		return "this host's own firewall drops packets that have the MPTCP option (TCP "
		       "option 30): none appears on any link";
	if (way->sent && !way->option_sent)
		return "this host's own firewall removes the MPTCP option (TCP option 30) from "
		       "what it sends";
	if (way->option_answered && !way->option_arrived)
		return "the target's reply has the MPTCP option (TCP option 30) when it arrives, "
		       "but this host's own firewall removes it or drops the reply";
	return NULL;
}

/* True if a join to no connection is refused, as only MPTCP listeners do. */
static bool refuses_unknown_join(struct check *c, const struct path_ends *ends)
{
	struct path_ends join = *ends;
	const struct probe_result *way;

	join.option = OPTION_JOIN;
	way = check_probe_path(c, &join);
	return way && way->refused && !way->answered;
}

bool check_explain_plain_service(struct check *c, struct nvme_mptcp_finding *f,
				 const struct path_ends *ends)
{
	struct path_ends asked = *ends;
	const struct probe_result *way;

	asked.option = OPTION_CAPABLE;
	way = check_probe_path(c, &asked);
	if (!way || !way->answered || way->option_answered || !way->quoted_option ||
	    refuses_unknown_join(c, &asked))
		return false;
	finding_why_subject(
		c, f,
		"arrives with the MPTCP option, but a service without MPTCP answers it: "
		"a redirection or NAT of the target takes what arrives over that link "
		"to another port");
	return true;
}

static void report_lost_on_path(struct check *c, struct nvme_mptcp_finding *f, bool dropped,
				const char *name)
{
	finding_why_more(c, f,
			 "a middlebox on the path over %s %s the MPTCP option (TCP option 30)",
			 name, dropped ? "drops packets that have" : "removes");
	finding_fact(c, f, FACT_OPTION_LOST, "on the way");
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
}

bool check_join_filtered_locally(struct check *c, const struct in6_addr *local,
				 const struct socket_address *remote, int ifindex)
{
	struct path_ends ends = { *local, *remote, ifindex, OPTION_JOIN };
	const char *how = lost_on_this_host(c, &ends);
	struct nvme_mptcp_finding *f;

	if (!how) {
		/* The reply to an invalid join has no option. */
		ends.option = OPTION_CAPABLE;
		how = lost_on_this_host(c, &ends);
	}
	if (!how)
		return false;
	f = finding_add_path(c, RULE_F10, local, &remote->ip);
	finding_why_subject(c, f, "is not established: %s", how);
	finding_fact(c, f, FACT_OPTION_LOST, "on this host");
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nft list ruleset");
	return true;
}

struct path_ends check_conn_ends(const struct nvme_mptcp_connection *conn)
{
	return (struct path_ends){ conn->local.ip, conn->remote,
				   conn->n_subflows ? conn->subflows->ifindex : 0 };
}

void check_explain_fallback(struct check *c, struct nvme_mptcp_finding *f,
			    const struct path_ends *ends, const char *otherwise)
{
	const struct nvme_mptcp_link *link = plan_link_by_ip(c->snap, &ends->local);
	const struct nvme_mptcp_link *by;
	const char *name = link ? link->name : "its link", *how;
	struct path_ends asked = *ends;
	const struct probe_result *way;

	asked.option = OPTION_CAPABLE;
	how = lost_on_this_host(c, &asked);
	if (how) {
		finding_why_more(c, f, "%s", how);
		finding_fact(c, f, FACT_OPTION_LOST, "on this host");
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nft list ruleset");
		return;
	}
	way = is_on_no_link(c, ends) ? NULL : check_probe_path(c, &asked);
	by = way ? way_with_option(c, ends) : NULL;
	if (by) {
		report_lost_on_path(c, f, is_dropped(c, &asked, way), name);
		finding_why_more(c, f, ": over %s the target answers with it", by->name);
	} else if (is_dropped(c, &asked, way)) {
		report_lost_on_path(c, f, true, name);
	} else if (way && way->option_answered &&
		   !check_counter_total(c, "MPTcpExt", "MPCapableFallbackSYNACK")) {
		report_lost_on_path(c, f, false, name);
		finding_why_more(c, f, " after the connection is made");
	} else if (way && way->option_answered) {
		finding_why_more(c, f,
				 "the target answers with MPTCP now, so a new connection uses it");
	} else if (way && way->padded) {
		report_lost_on_path(c, f, false, name);
		finding_why_more(c, f, ": replies have padding in its place");
	} else if (way && way->quoted && !way->quoted_option) {
		report_lost_on_path(c, f, false, name);
		finding_why_more(c, f, ": an ICMP error of %s quotes a SYN without it",
				 ADDRESS_STRING(&way->from));
	} else if (way && way->answered && refuses_unknown_join(c, &asked)) {
		report_lost_on_path(c, f, false, name);
		finding_why_more(c, f, ": the target refuses an invalid join, as only MPTCP does");
	} else if (!otherwise && relayed_has_portals(c->snap)) {
		finding_why_more(c, f,
				 "the target answered without MPTCP: check that a relay for this "
				 "port runs there");
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
			    NVME_MPTCP_COMMAND " setup --role target --relay --apply");
	} else {
		finding_why_more(
			c, f, "%s",
			otherwise
				? otherwise
				: "the target answered without MPTCP, as a port of trtype tcp does");
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
			    "grep . /sys/kernel/config/nvmet/ports/*/addr_trtype");
	}
}

bool check_has_option_loss(const struct check *c, enum rule_id rule)
{
	FOR_EACH(f, c->findings->finding, c->findings->n)
		if ((rule == RULE_COUNT || f->rule == rule) &&
		    finding_get_fact(f, FACT_OPTION_LOST))
			return true;
	return false;
}
