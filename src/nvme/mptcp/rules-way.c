// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules F, and H15: what becomes of joins, data and announcements on the way. doc/mptcp-rules.md */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check-private.h"

#define JOIN_PATIENCE 1 /* retransmissions of a SYN: about three seconds */

static const char *owner(const struct nvme_mptcp_connection *conn)
{
	return conn->ctrl ? conn->ctrl->name : "shared";
}

/* Is there a finding already that says why this subflow does not come about? */
static bool is_explained(const struct check *c, const struct nvme_mptcp_subflow *sf)
{
	const struct nvme_mptcp_link *link = sf->link;

	if (link && (!nvme_mptcp_link_is_up(link) || !nvme_mptcp_link_has_carrier(link)))
		return true;
	return has_found(c, "H08") || has_found(c, "R02") || has_found(c, "R06") ||
	       has_found(c, "A05");
}

static bool is_pending(const struct nvme_mptcp_subflow *sf)
{
	return sf->state == STATE_SYN_SENT && sf->value[NVME_MPTCP_TIMEOUTS] >= JOIN_PATIENCE;
}

/*
 * A finding about a join. Those of other connections that take the same way are the same finding;
 * then it is NULL.
 */
static struct nvme_mptcp_finding *about_join(struct check *c, const struct rule *rule,
					     const struct nvme_mptcp_subflow *sf)
{
	char local[ADDRESS_TEXT], remote[ADDRESS_TEXT], way[2 * ADDRESS_TEXT + 8];

	address_text(&sf->local.ip, local);
	address_text(&sf->remote.ip, remote);
	snprintf(way, sizeof(way), "%s -> %s", local, remote);
	for (size_t i = 0; i < c->findings->n; i++) {
		const struct nvme_mptcp_finding *f = &c->findings->finding[i];

		if (f->rule == rule && f->subject && !strcmp(f->subject, way))
			return NULL;
	}
	return finding(c, rule, "%s", way);
}

static bool is_crossed(struct check *c, const struct nvme_mptcp_subflow *sf)
{
	struct route_answer route = {};

	return sf->link &&
	       !c->ops->route(c, &sf->local.ip, sf->link->ifindex, &sf->remote.ip, &route) &&
	       route.assumed;
}

static void crossed(struct check *c, const struct rule *rule, const struct nvme_mptcp_subflow *sf)
{
	struct nvme_mptcp_finding *f = about_join(c, rule, sf);

	if (!f)
		return;
	finding_why(
		c, f,
		"This join cannot work: %s leads to another network than the target's address is "
		"in, and it holds a place until it times out. Where the target announces its "
		"addresses, a host joins each by its own link without endpoints",
		sf->link->name);
	finding_fact(c, f, "link", "%s", sf->link->name);
	finding_fact(c, f, "state", "SYN-SENT");
	FOR_EACH_ENDPOINT(c, ep)
	if (starts_subflows(ep) && same_ip(&ep->ip, &sf->local.ip))
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip mptcp endpoint delete id %u", ep->id);
	if (!c->snap->limit_add_addr_accepted)
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip mptcp limits set add_addr_accepted 8");
	if (!total(c, "MPTcpExt", "AddAddr"))
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
			    "ip mptcp endpoint add ADDRESS dev LINK signal");
}

static void unanswered(struct check *c, const struct rule *rule,
		       const struct nvme_mptcp_subflow *sf)
{
	struct nvme_mptcp_finding *f = about_join(c, rule, sf);

	if (!f)
		return;
	finding_why(
		c, f,
		"Nothing answers this join of %s%s%s: a firewall drops it, the target has no such "
		"address, or its answer goes another way",
		owner(sf->connection), sf->link ? " by " : "", sf->link ? sf->link->name : "");
	finding_fact(c, f, "state", "SYN-SENT");
	finding_fact(c, f, "timeouts", "%lld", (long long)sf->value[NVME_MPTCP_TIMEOUTS]);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "nvme mptcp check --role target");
}

static void hopeless(struct check *c, const struct rule *rule)
{
	for (size_t i = 0; i < c->n_conns; i++) {
		for (size_t j = 0; j < c->conns[i]->n_subflows; j++) {
			const struct nvme_mptcp_subflow *sf = &c->conns[i]->subflows[j];

			if (is_pending(sf) && is_crossed(c, sf))
				crossed(c, rule, sf);
		}
	}
}

static void no_answer(struct check *c, const struct rule *rule)
{
	for (size_t i = 0; i < c->n_conns; i++) {
		for (size_t j = 0; j < c->conns[i]->n_subflows; j++) {
			const struct nvme_mptcp_subflow *sf = &c->conns[i]->subflows[j];

			if (is_pending(sf) && !is_explained(c, sf) && !is_crossed(c, sf))
				unanswered(c, rule, sf);
		}
	}
}

static void option_dropped(struct check *c, const struct rule *rule)
{
	int64_t dropped = grown(c, "MPTcpExt", "MPCapableSYNTXDrop");
	struct nvme_mptcp_finding *f;

	if (!dropped)
		return;
	f = finding(c, rule, "SYN");
	finding_why(c, f,
		    "SYNs got an answer only without the MPTCP option: something on the way drops "
		    "packets that carry it (TCP option 30)");
	finding_fact(c, f, "MPCapableSYNTXDrop", "%lld", (long long)dropped);
}

static void corrupted(struct check *c, const struct rule *rule)
{
	static const char *const names[] = {
		"DSSCorruptionFallback",
		"DSSCorruptionReset",
		"DssFallback",
		"MPFailTx",
		"MPFailRx",
		"DataCsumErr",
	};
	struct nvme_mptcp_finding *f = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		int64_t n = grown(c, "MPTcpExt", names[i]);

		if (!n)
			continue;
		if (!f)
			f = finding(c, rule, "data on the way");
		finding_fact(c, f, names[i], "%lld", (long long)n);
	}
	if (f)
		finding_why(c, f,
			    "A middlebox changes the data or its MPTCP options on the way: "
			    "connections fall back or are reset");
}

const struct rule way_rules[] = {
	{ "H15", NVME_MPTCP_WARNING, ON_HOST, "Join between networks that do not meet", hopeless },
	{ "F01", NVME_MPTCP_ERROR, ON_HOST, "Join without an answer", no_answer },
	{ "F05", NVME_MPTCP_WARNING, ON_HOST, "MPTCP option dropped on the way", option_dropped },
	{ "F07", NVME_MPTCP_WARNING, ON_BOTH, "Data changed on the way", corrupted },
	{},
};
