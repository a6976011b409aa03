// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sizes of packets that a path takes, and packets that get lost on it. */
#include <netinet/ip.h>
#include <string.h>

#include "rules.h"
#include "lower-links.h"
#include "packet-loss.h"

#define ATTEMPTS 6 /* connections */
#define ATTEMPT_MS 300
#define MOVES 8 /* full-sized packets between both snapshots prove that large packets arrive */

/* True if a working subflow sends larger packets, so that links differ. */
static bool has_larger(const struct check *c, int64_t pmtu)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (subflow_carries(sf) && sf->value[NVME_MPTCP_PMTU] > pmtu)
			return true;
	return false;
}

void check_report_path_mtu(struct check *c, enum rule_id rule)
{
	FOR_EACH_SUBFLOW(c, conn, sf) {
		const int64_t pmtu = sf->value[NVME_MPTCP_PMTU];
		struct nvme_mptcp_finding *f;
		struct route_answer route = {};
		bool by_route;

		/* IP has no larger packets, whatever the MTU of lo. */
		if (!sf->link || pmtu <= 0 || pmtu >= sf->link->mtu || pmtu == IP_MAXPACKET ||
		    sf->state != STATE_ESTABLISHED)
			continue;
		by_route = !c->ops->route(c, &sf->local.ip, sf->link->ifindex, &sf->remote.ip,
					  &route) &&
			   route.mtu == pmtu;
		f = finding_add(c, rule, subject_link(sf->link->name));
		/* TCP uses it, so no packets are lost. */
		if (!by_route || !has_larger(c, pmtu))
			finding_set_severity(f, NVME_MPTCP_INFO);
		finding_why_subject(
			c, f,
			"sends packets of at most %lld bytes to %s, though its MTU is %lld: "
			"%s limits it",
			(long long)pmtu, sf->remote_text, (long long)sf->link->mtu,
			by_route ? "a route of this host (mtu)" : "a router on the path");
		finding_number(c, f, "pmtu", pmtu);
		finding_number(c, f, "mtu", sf->link->mtu);
		if (by_route)
			finding_fix(c, f, NVME_MPTCP_ROLE_HOST,
				    "ip%s route show table all match %s",
				    address_is_v4(&sf->remote.ip) ? "" : " -6",
				    ADDRESS_STRING(&sf->remote.ip));
		return;
	}
}

/* True for a queueing discipline that drops no packet because of its size. */
static bool is_usual(const char *queueing)
{
	static const char *const usual[] = { "",   "noqueue", "pfifo_fast", "pfifo", "fq_codel",
					     "fq", "mq",      "cake",	    "sfq" };

	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		if (!strcmp(queueing, usual[i]))
			return true;
	return false;
}

static void say_large_lost(struct check *c, struct nvme_mptcp_finding *f,
			   const struct size_probe *probe, const struct nvme_mptcp_link *link)
{
	struct route_answer route = {};

	if (probe->kept && !is_usual(link->queueing)) {
		finding_why_more(
			c, f,
			"traffic control of this host drops them, so that they do not leave "
			"(queueing discipline %s of %s, whose burst or size limit is too "
			"small)",
			link->queueing, link->name);
		finding_fact(c, f, "queueing", "%s", link->queueing);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "tc -s qdisc show dev %s",
			    LINK_WORD(link->name));
		return;
	}
	if (probe->kept) {
		finding_why_more(c, f,
				 "this host's own firewall or traffic control drops them, so that "
				 "they do not leave");
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nft list ruleset");
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "tc filter show dev %s egress",
			    LINK_WORD(link->name));
		return;
	}
	if (!c->ops->route(c, &probe->ends.local, probe->ends.ifindex, &probe->ends.remote.ip,
			   &route) &&
	    route.gateway)
		finding_why_more(
			c, f,
			"a link beyond the router %s has a smaller MTU, and no ICMP message "
			"about that arrives here",
			ADDRESS_STRING(&route.hop));
	else
		finding_why_more(c, f,
				 "a switch or the other end has a smaller MTU than this link");
}

/* Count connections of several that get no answer: a firewall may limit echo requests alone. */
static unsigned int count_lost_connections(struct check *c, const struct size_probe *path)
{
	const struct path_ends ends = { path->ends.local, path->ends.remote, path->bound };
	unsigned int lost = 0;

	for (int i = 0; i < ATTEMPTS; i++) {
		struct probe_result way;

		if (c->ops->attempt(c, &ends, ATTEMPT_MS, &way) || !way.known)
			return 0;
		lost += !way.connected && !way.refused;
	}
	return lost == ATTEMPTS ? 0 : lost;
}

static void advise_losses(struct check *c, struct nvme_mptcp_finding *f,
			  const struct nvme_mptcp_link *link)
{
	const struct nvme_mptcp_link *bond = check_spreading_bond(c, link);

	if (!bond) {
		finding_why_more(c, f,
				 "Check cable, transceiver and switch port, and the error counters "
				 "of both ends");
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip -s link show dev %s",
			    LINK_WORD(link->name));
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -s link show");
		return;
	}
	finding_why_more(c, f,
			 "The bond %s sends over several ports, in a mode without negotiation "
			 "(balance-rr or balance-xor): unless the other end joins the same ports, "
			 "it loses what arrives at the others",
			 bond->name);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip -d link show dev %s", LINK_WORD(bond->name));
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -d link show type bond");
}

/* Report links that lose some packets of any size. */
static void report_losses(struct check *c, enum rule_id rule, size_t n)
{
	if (!n || !c->ops->losses || !c->ops->attempt || (c->role & ON_TARGET))
		return;
	c->ops->losses(c, c->paths, n);
	FOR_EACH(path, c->paths, n) {
		const struct nvme_mptcp_link *link = link_by_index(c->snap, path->ends.ifindex);
		const char *remote = ADDRESS_STRING(&path->ends.remote.ip);
		struct nvme_mptcp_finding *f;
		unsigned int lost;

		/* Full queues drop packets as well. */
		if (!link || !path->echoes || path->echoes == ECHOES ||
		    check_path_growth(c, &path->ends) > MOVES * path->mtu ||
		    check_has_found_link(c, rule, link->name))
			continue;
		lost = count_lost_connections(c, path);
		if (!lost)
			continue;
		f = finding_why(c, finding_add(c, rule, subject_link(link->name)),
				"Link %s loses packets of any size to or from %s: %u of %u echo "
				"requests and %u of %u new connections got no answer in time. ",
				link->name, remote, ECHOES - path->echoes, ECHOES, lost, ATTEMPTS);
		finding_number(c, f, "lost_echoes", ECHOES - path->echoes);
		finding_number(c, f, "lost_connections", lost);
		finding_fact(c, f, "remote", "%s", remote);
		advise_losses(c, f, link);
	}
}

/* Full queues drop large echo requests first, so what TCP delivers meanwhile is better evidence. */
static void report_large_lost(struct check *c, enum rule_id rule, size_t n, bool by_several_ports)
{
	const struct size_probe *probe = c->paths;

	for (size_t i = 0; i < n; i++) {
		const struct nvme_mptcp_link *link =
			probe[i].ends.ifindex ? link_by_index(c->snap, probe[i].ends.ifindex)
					      : plan_link_by_ip(c->snap, &probe[i].ends.local);
		const char *remote = ADDRESS_STRING(&probe[i].ends.remote.ip);
		struct nvme_mptcp_finding *f;

		if (!link || !probe[i].small || probe[i].large || probe[i].told ||
		    !check_spreading_bond(c, link) == by_several_ports ||
		    (by_several_ports && check_has_found_link(c, rule, link->name)) ||
		    check_path_growth(c, &probe[i].ends) > MOVES * probe[i].mtu)
			continue;
		f = finding_why(c, finding_add(c, rule, subject_link(link->name)),
				"Link %s loses packets of %lld bytes to or from %s, while "
				"small ones pass, and under load its subflows stall: ",
				link->name, (long long)probe[i].mtu, remote);
		say_large_lost(c, f, &probe[i], link);
		finding_number(c, f, "size", probe[i].mtu);
		finding_number(c, f, "mtu", link->mtu);
		finding_fact(c, f, "remote", "%s", remote);
	}
}

void check_report_losses(struct check *c, enum rule_id rule, size_t n)
{
	report_large_lost(c, rule, n, false);
	report_losses(c, rule, n);
	/* A bond that sends over several ports may lose every other packet, by chance large ones. */
	report_large_lost(c, rule, n, true);
}
