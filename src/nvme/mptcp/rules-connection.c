// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules C, F and N: connections, what is on their way, and their controllers. doc/mptcp-rules.md */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check-private.h"

#define JOIN_PATIENCE 1 /* retransmissions of a SYN: about three seconds */
#define RTT_SKEW 8 /* times the fastest subflow's */
#define RTT_FLOOR_US 2000 /* below that a factor says nothing */

static const char *owner(const struct nvme_mptcp_connection *conn)
{
	return conn->ctrl ? conn->ctrl->name : "shared";
}

static void fallback(struct check *c, const struct rule *rule)
{
	for (size_t i = 0; i < c->snap->n_ctrls; i++) {
		const struct nvme_mptcp_ctrl *ctrl = &c->snap->ctrls[i];
		struct nvme_mptcp_finding *f;
		int64_t plain;

		if (!is_wanted_ctrl(c, ctrl) || !ctrl->set.fallback)
			continue;
		plain = total(c, "MPTcpExt", "MPCapableFallbackSYNACK");
		f = finding(c, rule, "%s", ctrl->name);
		finding_why(
			c, f,
			"%zu of its connections fell back to plain TCP: they have one link. %s",
			ctrl->set.fallback,
			plain ? "The target answered without MPTCP: is its port's trtype tcp, or does "
				"a middlebox remove the option?"
			      : "The option got lost while the connection was made");
		finding_fact(c, f, "fallback", "%zu", ctrl->set.fallback);
		finding_fact(c, f, "MPCapableFallbackSYNACK", "%lld", (long long)plain);
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
			    "cat /sys/kernel/config/nvmet/ports/*/addr_trtype");
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nvme reset /dev/%s", ctrl->name);
	}
}

static void not_established(struct check *c, const struct rule *rule)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_conns; i++) {
		const struct nvme_mptcp_connection *conn = c->conns[i];
		const struct nvme_mptcp_subflow *initial = conn->subflows;

		if (conn->fallback != 1 && conn->n_subflows && initial->flags > 0 &&
		    initial->state == STATE_ESTABLISHED &&
		    !(initial->flags & NVME_MPTCP_SUBFLOW_FULLY_ESTABLISHED))
			n++;
	}
	if (n)
		finding_why(c, finding(c, rule, "%zu connection%s", n, n == 1 ? "" : "s"),
			    "Not fully established yet: subflows are added after the first data");
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

	if (!sf->link || !is_v4(&sf->remote.ip) ||
	    is_on_link(c->snap, sf->link->ifindex, &sf->remote.ip))
		return false;
	return !c->ops->route(c, &sf->local.ip, sf->link->ifindex, &sf->remote.ip, &route) &&
	       !route.gateway;
}

static void crossed(struct check *c, const struct rule *rule, const struct nvme_mptcp_subflow *sf)
{
	struct nvme_mptcp_finding *f = about_join(c, rule, sf);

	if (!f)
		return;
	finding_why(
		c, f,
		"This join cannot work: %s leads to another network than the target's address is "
		"in. It holds a place that another subflow could have until it times out",
		sf->link->name);
	finding_fact(c, f, "link", "%s", sf->link->name);
	finding_fact(c, f, "state", "SYN-SENT");
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip mptcp limits set subflows %zu",
		    2 * (c->snap->n_endpoints + 1));
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
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nvme mptcp monitor");
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

/* Subflows that an endpoint once had: the kernel does not make them again. */
static void died(struct check *c, const struct rule *rule)
{
	FOR_EACH_ENDPOINT(c, ep)
	{
		struct nvme_mptcp_finding *f;
		size_t missing = 0;

		if (!starts_subflows(ep) || !is_usable(ep) || ep->subflows == NVME_MPTCP_UNKNOWN)
			continue;
		for (size_t i = 0; i < c->n_conns; i++) {
			const struct nvme_mptcp_connection *conn = c->conns[i];
			bool has = same_ip(&conn->local.ip, &ep->ip);

			for (size_t j = 0; j < conn->n_subflows && !has; j++)
				has = same_ip(&conn->subflows[j].local.ip, &ep->ip);
			/* It was used, and nothing is there. */
			missing += !has && conn->fallback != 1 &&
				   is_v4(&conn->remote.ip) == is_v4(&ep->ip) &&
				   conn->value[NVME_MPTCP_CONN_LOCAL_ADDR_MAX] > 0 &&
				   conn->value[NVME_MPTCP_CONN_LOCAL_ADDR_USED] >=
					   conn->value[NVME_MPTCP_CONN_LOCAL_ADDR_MAX] &&
				   conn->value[NVME_MPTCP_CONN_EXTRA_SUBFLOWS] <
					   conn->value[NVME_MPTCP_CONN_SUBFLOWS_MAX];
		}
		if (!missing)
			continue;
		f = finding(c, rule, "endpoint %u (%s)", ep->id, ep->address);
		finding_why(
			c, f,
			"%zu connection%s had a subflow from it that was closed or refused; the "
			"kernel does not try again by itself",
			missing, missing == 1 ? "" : "s");
		finding_fact(c, f, "connections", "%zu", missing);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip mptcp endpoint delete id %u", ep->id);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip mptcp endpoint add %s dev %s subflow",
			    ep->address, ep->link->name);
	}
}

static size_t established(const struct nvme_mptcp_connection *conn)
{
	size_t n = 0;

	for (size_t i = 0; i < conn->n_subflows; i++)
		n += conn->subflows[i].state == STATE_ESTABLISHED;
	return n;
}

static void uneven(struct check *c, const struct rule *rule)
{
	for (size_t i = 0; i < c->snap->n_ctrls; i++) {
		const struct nvme_mptcp_ctrl *ctrl = &c->snap->ctrls[i];
		size_t least = SIZE_MAX, most = 0;
		struct nvme_mptcp_finding *f;

		if (!is_wanted_ctrl(c, ctrl))
			continue;
		for (const struct nvme_mptcp_connection *conn = ctrl->set.first; conn;
		     conn = conn->next) {
			size_t n = established(conn);

			if (conn->fallback == 1)
				continue;
			least = n < least ? n : least;
			most = n > most ? n : most;
		}
		if (least >= most)
			continue;
		f = finding(c, rule, "%s", ctrl->name);
		finding_why(c, f,
			    "Its queues have different numbers of subflows: some are faster than "
			    "others");
		finding_fact(c, f, "least", "%zu", least);
		finding_fact(c, f, "most", "%zu", most);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nvme mptcp show-subflows %s", ctrl->name);
	}
}

static void skewed(struct check *c, const struct rule *rule)
{
	for (size_t i = 0; i < c->n_conns; i++) {
		const struct nvme_mptcp_subflow *fast = NULL, *slow = NULL;
		struct nvme_mptcp_finding *f;

		for (size_t j = 0; j < c->conns[i]->n_subflows; j++) {
			const struct nvme_mptcp_subflow *sf = &c->conns[i]->subflows[j];
			int64_t rtt = sf->value[NVME_MPTCP_RTT_US];

			if (sf->state != STATE_ESTABLISHED || rtt <= 0 || !sf->link)
				continue;
			if (!fast || rtt < fast->value[NVME_MPTCP_RTT_US])
				fast = sf;
			if (!slow || rtt > slow->value[NVME_MPTCP_RTT_US])
				slow = sf;
		}
		if (!fast || slow->value[NVME_MPTCP_RTT_US] < RTT_FLOOR_US ||
		    slow->value[NVME_MPTCP_RTT_US] < RTT_SKEW * fast->value[NVME_MPTCP_RTT_US])
			continue;
		f = finding(c, rule, "%s", slow->link->name);
		finding_why(c, f,
			    "It takes much longer than %s: what is sent there holds up the rest",
			    fast->link->name);
		finding_fact(c, f, "slowest_us", "%lld", (long long)slow->value[NVME_MPTCP_RTT_US]);
		finding_fact(c, f, "fastest_us", "%lld", (long long)fast->value[NVME_MPTCP_RTT_US]);
		return;
	}
}

static void not_live(struct check *c, const struct rule *rule)
{
	for (size_t i = 0; i < c->snap->n_ctrls; i++) {
		const struct nvme_mptcp_ctrl *ctrl = &c->snap->ctrls[i];
		struct nvme_mptcp_finding *f;

		if (!is_wanted_ctrl(c, ctrl) || !ctrl->state || !strcmp(ctrl->state, "live"))
			continue;
		f = finding(c, rule, "%s", ctrl->name);
		finding_why(c, f, "The controller is not live, so it carries no I/O");
		finding_fact(c, f, "state", "%s", ctrl->state);
	}
}

static void shared(struct check *c, const struct rule *rule)
{
	for (size_t i = 0; i < c->snap->n_shared; i++) {
		const struct nvme_mptcp_shared *sh = &c->snap->shared[i];
		struct nvme_mptcp_finding *f;

		if (!is_wanted_ctrl(c, sh->ctrls[0]))
			continue;
		f = finding(c, rule, "%s and %zu more", sh->ctrls[0]->name, sh->n_ctrls - 1);
		finding_why(
			c, f,
			"They are connected to one portal, and it is not known which connection "
			"belongs to which; nvme connect records that");
		finding_fact(c, f, "connections", "%zu", sh->set.count);
	}
}

static void missing(struct check *c, const struct rule *rule)
{
	if (nvme_mptcp_snapshot_errno(c->snap, NVME_MPTCP_CONNECTIONS))
		return;
	for (size_t i = 0; i < c->snap->n_ctrls; i++) {
		const struct nvme_mptcp_ctrl *ctrl = &c->snap->ctrls[i];
		struct nvme_mptcp_finding *f;

		/* None at all is the wrong namespace; a dead controller has none by right. */
		if (!is_wanted_ctrl(c, ctrl) || !ctrl->state || strcmp(ctrl->state, "live") ||
		    ctrl->expected < 0 || ctrl->n_shared || !ctrl->set.count ||
		    ctrl->set.count == (size_t)ctrl->expected)
			continue;
		f = finding(c, rule, "%s", ctrl->name);
		finding_why(c, f, "It has another number of connections than queues");
		finding_fact(c, f, "connections", "%zu", ctrl->set.count);
		finding_fact(c, f, "queues", "%lld", (long long)ctrl->expected);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nvme reset /dev/%s", ctrl->name);
	}
}

static void no_device_given(struct check *c, const struct rule *rule)
{
	const struct nvme_mptcp_ctrl *bound = NULL;

	for (size_t i = 0; i < c->snap->n_ctrls && !bound; i++)
		if (is_wanted_ctrl(c, &c->snap->ctrls[i]) && c->snap->ctrls[i].host_iface)
			bound = &c->snap->ctrls[i];
	if (!bound)
		return;
	FOR_EACH_ENDPOINT(c, ep)
	{
		struct nvme_mptcp_finding *f;

		if (!starts_subflows(ep) || ep->ifindex || !ep->link)
			continue;
		f = finding(c, rule, "endpoint %u (%s)", ep->id, ep->address);
		finding_why(
			c, f,
			"%s was connected by %s, and this endpoint has no device: later kernels "
			"then send its subflows by %s too",
			bound->name, bound->host_iface, bound->host_iface);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip mptcp endpoint delete id %u", ep->id);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip mptcp endpoint add %s dev %s subflow",
			    ep->address, ep->link->name);
	}
}

static void elsewhere(struct check *c, const struct rule *rule)
{
	if (nvme_mptcp_snapshot_errno(c->snap, NVME_MPTCP_CONNECTIONS))
		return;
	for (size_t i = 0; i < c->snap->n_ctrls; i++) {
		const struct nvme_mptcp_ctrl *ctrl = &c->snap->ctrls[i];
		struct nvme_mptcp_finding *f;

		if (!is_wanted_ctrl(c, ctrl) || !ctrl->state || strcmp(ctrl->state, "live") ||
		    ctrl->set.count || ctrl->n_shared)
			continue;
		f = finding(c, rule, "%s", ctrl->name);
		finding_why(
			c, f,
			"The controller is live, and none of its connections is in this network "
			"namespace: it was connected in another one, to which endpoints and "
			"limits here do not apply");
		finding_fact(c, f, "connections", "0");
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nvme mptcp check %s --netns NAME",
			    ctrl->name);
	}
}

const struct rule connection_rules[] = {
	{ "N07", NVME_MPTCP_ERROR, ON_HOST, "Connected in another network namespace", elsewhere },
	{ "N02", NVME_MPTCP_WARNING, ON_HOST, "Controller not live", not_live },
	{ "N03", NVME_MPTCP_INFO, ON_HOST, "Connections that may be several controllers'", shared },
	{ "N04", NVME_MPTCP_WARNING, ON_HOST, "Connections missing", missing },
	{ "N05", NVME_MPTCP_WARNING, ON_HOST, "Bound controller, endpoint without a device",
	  no_device_given },
	{ "C01", NVME_MPTCP_ERROR, ON_HOST, "Fallback to plain TCP", fallback },
	{ "C02", NVME_MPTCP_INFO, ON_HOST, "Not fully established", not_established },
	{ "H15", NVME_MPTCP_WARNING, ON_HOST, "Join between networks that do not meet", hopeless },
	{ "F01", NVME_MPTCP_ERROR, ON_HOST, "Join without an answer", no_answer },
	{ "F05", NVME_MPTCP_WARNING, ON_HOST, "MPTCP option dropped on the way", option_dropped },
	{ "F07", NVME_MPTCP_WARNING, ON_BOTH, "Data changed on the way", corrupted },
	{ "C05", NVME_MPTCP_WARNING, ON_HOST, "Subflows that are gone", died },
	{ "C06", NVME_MPTCP_WARNING, ON_HOST, "Queues with different subflows", uneven },
	{ "C07", NVME_MPTCP_INFO, ON_HOST, "One link much slower", skewed },
	{},
};
