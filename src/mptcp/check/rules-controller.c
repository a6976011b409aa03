// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules N: controllers and their connections. doc/mptcp-rules.md */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "rules.h"

#define MAX_SEARCHES 4 /* in other network namespaces */

/* True if another live controller of its subsystem, over any transport, serves the same disks. */
static bool has_other_path(const struct check *c, const struct nvme_mptcp_ctrl *ctrl)
{
	if (!ctrl->subsysnqn)
		return false;
	FOR_EACH(other, c->snap->ctrls, c->snap->n_ctrls)
		if (ctrl_state_is_live(other) && str_eq(other->subsysnqn, ctrl->subsysnqn))
			return true;
	return str_eq(c->snap->plain.subsysnqn, ctrl->subsysnqn);
}

void rule_ctrl_not_live(struct check *c, enum rule_id rule)
{
	FOR_EACH(ctrl, c->snap->ctrls, c->snap->n_ctrls) {
		struct nvme_mptcp_finding *f;

		if (!check_covers_ctrl(c, ctrl) || !ctrl->state || ctrl_state_is_live(ctrl))
			continue;
		f = finding_why_subject(c, finding_add(c, rule, subject_ctrl(ctrl->name)),
					has_other_path(c, ctrl)
						? "is not live, so it carries no I/O. Other "
						  "controllers of its subsystem do"
						: "is not live, and no other controller of its "
						  "subsystem is: I/O to its disks waits");
		if (f && !has_other_path(c, ctrl))
			f->severity = NVME_MPTCP_ERROR;
		finding_fact(c, f, "state", "%s", ctrl->state);
	}
}

void rule_ctrls_share(struct check *c, enum rule_id rule)
{
	FOR_EACH(sh, c->snap->shared, c->snap->n_shared) {
		struct nvme_mptcp_finding *f;

		if (!check_covers_ctrl(c, sh->ctrls[0]))
			continue;
		f = finding_add(c, rule, subject_ctrls(sh->ctrls[0]->name, sh->n_ctrls - 1));
		if (sh->ctrls[0]->is_served)
			finding_why(c, f,
				    "The connections of several controllers to one portal, %s "
				    "among them, cannot be distinguished: they are encrypted, "
				    "so the relay does not see which controller each belongs to",
				    sh->ctrls[0]->name);
		else
			finding_why(c, f,
				    "The connections of several controllers to one "
				    "portal, %s among them, cannot be distinguished. "
				    "%s connect records which belongs to which",
				    sh->ctrls[0]->name, snapshot_connect_program());
		finding_fact(c, f, "connections", "%zu", sh->set.count);
	}
}

void rule_connections_missing(struct check *c, enum rule_id rule)
{
	if (nvme_mptcp_snapshot_errno(c->snap, NVME_MPTCP_CONNECTIONS))
		return;
	FOR_EACH(ctrl, c->snap->ctrls, c->snap->n_ctrls) {
		struct nvme_mptcp_finding *f;

		/* Without any, N07 reports the namespace, or it is not live. */
		if (!check_covers_ctrl(c, ctrl) || !ctrl_state_is_live(ctrl) ||
		    ctrl->expected < 0 || ctrl->n_shared || !ctrl->set.count ||
		    ctrl->set.count == (size_t)ctrl->expected)
			continue;
		/* C01 explains it: after a fallback the kernel creates plain TCP sockets. */
		if (ctrl->set.fallback && ctrl->set.count < (size_t)ctrl->expected)
			continue;
		f = finding_add(c, rule, subject_ctrl(ctrl->name));
		finding_why_subject(c, f, "does not have one connection for each queue");
		finding_fact(c, f, "connections", "%zu", ctrl->set.count);
		finding_number(c, f, "queues", ctrl->expected);
		if (ctrl->set.count < (size_t)ctrl->expected) {
			fix_reset_ctrl(c, f, ctrl);
			continue;
		}
		finding_why_more(c, f,
				 ": some may be another program's, whose process cannot be seen "
				 "from here (hidepid, or another PID namespace)");
		finding_set_severity(f, NVME_MPTCP_INFO);
	}
}

void rule_no_device_given(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_ctrl *bound = NULL;

	for (size_t i = 0; i < c->snap->n_ctrls && !bound; i++)
		if (check_covers_ctrl(c, &c->snap->ctrls[i]) && c->snap->ctrls[i].host_iface)
			bound = &c->snap->ctrls[i];
	if (!bound)
		return;
	FOR_EACH_ENDPOINT(c, ep) {
		struct nvme_mptcp_finding *f;

		if (!endpoint_starts_subflows(ep) || ep->ifindex || !endpoint_egress_link(ep))
			continue;
		f = finding_why_subject(c, finding_add_endpoint(c, rule, ep),
					"has no device, and %s was connected over %s: later "
					"kernels then send the endpoint's subflows over %s, too",
					bound->name, bound->host_iface, bound->host_iface);
		fix_replace(c, f, ep, ep->flags, ep->link->name);
	}
}

/* N04: the controller's connections are in no visible namespace, so only its portal is known. */
static void report_unseen(struct check *c, const struct nvme_mptcp_ctrl *ctrl)
{
	struct nvme_mptcp_finding *f = finding_add(c, RULE_N04, subject_ctrl(ctrl->name));
	char text[ADDRESS_TEXT] = "its portal";

	if (ctrl->has_portal)
		address_port_text(&ctrl->portal, text);
	finding_why_subject(c, f,
			    "is live, but none of its connections to %s is visible here: it "
			    "may use the endpoints and limits of another network namespace",
			    text);
	finding_fact(c, f, "connections", "0");
	if (ctrl->expected >= 0)
		finding_number(c, f, "queues", ctrl->expected);
	if (ctrl->src_addr)
		finding_fact(c, f, "src_addr", "%s", ctrl->src_addr);
}

void rule_ctrl_elsewhere(struct check *c, enum rule_id rule)
{
	int asked = 0;

	if (nvme_mptcp_snapshot_errno(c->snap, NVME_MPTCP_CONNECTIONS))
		return;
	FOR_EACH(ctrl, c->snap->ctrls, c->snap->n_ctrls) {
		struct nvme_mptcp_finding *f;
		char name[NAME_MAX + 1];
		bool known;

		if (!check_covers_ctrl(c, ctrl) || !ctrl_state_is_live(ctrl) || ctrl->set.count ||
		    ctrl->n_shared || ctrl->is_bypassed)
			continue;
		/* Each query searches all namespaces. */
		known = ctrl->has_portal && ctrl->has_source && asked++ < MAX_SEARCHES &&
			c->ops->netns_of &&
			c->ops->netns_of(c, &ctrl->portal, &ctrl->source, name, sizeof(name));
		if (!known) {
			report_unseen(c, ctrl);
			continue;
		}
		f = finding_why_subject(
			c, finding_add(c, rule, subject_ctrl(ctrl->name)),
			"is live, but none of its connections is in this network namespace: it "
			"was connected in %s, to which endpoints and limits here do not apply",
			name);
		/* With connections or a target, this namespace is the right one. */
		if (f && !c->ctrls && (c->n_conns || target_is_in_netns(&c->nvmet, c->snap)))
			f->severity = NVME_MPTCP_INFO;
		finding_fact(c, f, "connections", "0");
		finding_fact(c, f, "netns", "%s", name);
		finding_fix_in(c, f, NVME_MPTCP_ROLE_HOST, name, NVME_MPTCP_COMMAND " check %s",
			       ctrl->name);
	}
}

bool check_misses_relay(struct check *c, struct nvme_mptcp_finding *f,
			const struct nvme_mptcp_ctrl *ctrl)
{
	const enum steered found = c->ops->steered && !c->no_probes && ctrl->is_served
					   ? c->ops->steered(ctrl)
					   : STEERED_UNKNOWN;

	if (found != STEERED_PAST && found != STEERED_NOWHERE)
		return false;
	finding_why_more(
		c, f,
		found == STEERED_PAST
			? ". A new connection bypasses the relay as well: after the relay's "
			  "rules, another table of nftables or iptables changes the mark of "
			  "packets, or the relay's routing rule or route is gone (ip rule)"
			: ". This host's firewall stops packets on their way to the relay: "
			  "they pass lo, with the firewall mark 0x4e4d5001");
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "nft list ruleset");
	return true;
}

void rule_ctrl_bypassed(struct check *c, enum rule_id rule)
{
	FOR_EACH(ctrl, c->snap->ctrls, c->snap->n_ctrls) {
		struct nvme_mptcp_finding *f;

		if (!check_covers_ctrl(c, ctrl) || !ctrl->is_bypassed)
			continue;
		f = finding_add(c, rule, subject_ctrl(ctrl->name));
		finding_why_subject(c, f,
				    "is connected straight to the target, over one link, although "
				    "a relay serves its portal");
		finding_fact(c, f, "transport", "%s", ctrl->transport);
		if (check_misses_relay(c, f, ctrl))
			continue;
		finding_why_more(c, f,
				 ": it connected while the relay was not running. A reset makes it "
				 "connect through the relay");
		fix_reset_ctrl(c, f, ctrl);
	}
}

/* True if a relay has portals, and no controller is connected to one of them. */
static bool relay_is_idle(const struct check *c)
{
	FOR_EACH(ctrl, c->snap->ctrls, c->snap->n_ctrls)
		if (ctrl->is_served)
			return false;
	return relayed_has_portals(c->snap);
}

void rule_ctrl_on_one_link(struct check *c, enum rule_id rule)
{
	const struct plain_ctrls *plain = &c->snap->plain;
	struct nvme_mptcp_finding *f;

	/* A caller who names a controller or an address does not ask about these. */
	if (!plain->count || c->ctrls || c->before_connecting)
		return;
	if (plain->count > 1)
		f = finding_add(c, rule, subject_ctrls(plain->name, plain->count - 1));
	else
		f = finding_add(c, rule, subject_ctrl(plain->name));
	finding_why(c, f,
		    "Transport %s, which %s is connected over, uses one link for each "
		    "connection. MPTCP, if the target offers it, uses all links",
		    plain->transport, plain->name);
	finding_fact(c, f, "transport", "%s", plain->transport);
	finding_fact(c, f, "controllers", "%zu", plain->count);
	if (plain->bound) {
		finding_set_severity(f, NVME_MPTCP_WARNING);
		finding_why_more(c, f,
				 ". %s is bound to an interface (host_iface), which the relay of "
				 "its portal cannot carry: its next connection fails. Connect it "
				 "with --host-traddr instead",
				 plain->bound);
		return;
	}
	if (c->unrelayed) {
		finding_set_severity(f, NVME_MPTCP_WARNING);
		finding_why_more(c, f,
				 ". The configuration names the portal of %s for a relay, but %s",
				 c->unrelayed,
				 c->snap->relay ? "the relay that runs was started without it"
						: "no relay is running");
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "systemctl %s nvme-mptcp-relay.service",
			    c->snap->relay ? "reload" : "start");
		return;
	}
	if (relay_is_idle(c)) {
		finding_set_severity(f, NVME_MPTCP_WARNING);
		finding_why_more(c, f,
				 ". A relay is running, but no controller is connected to any of "
				 "its portals, such as %s",
				 c->snap->relay->results->portal);
	}
	/* Disconnecting takes the disk away: a trial shows if it is worthwhile. */
	if (plain->traddr && shell_is_word(plain->traddr) && plain->trsvcid &&
	    shell_is_word(plain->trsvcid))
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST,
			    NVME_MPTCP_COMMAND " check --traddr %s --trsvcid %s", plain->traddr,
			    plain->trsvcid);
}

static int by_subsystem(const void *a, const void *b)
{
	const struct nvme_mptcp_ctrl *x = *(const struct nvme_mptcp_ctrl *const *)a;
	const struct nvme_mptcp_ctrl *y = *(const struct nvme_mptcp_ctrl *const *)b;
	int order = strcmp(x->subsysnqn, y->subsysnqn);

	return order ? order : (x > y) - (x < y);
}

/* Report controllers of one subsystem with several links each: two layers distribute one I/O. */
static void report_two_layers(struct check *c, enum rule_id rule,
			      const struct nvme_mptcp_ctrl *const *ctrl, size_t n)
{
	size_t subflows = 0, spread = 0, links = 0;
	struct nvme_mptcp_finding *f;

	for (size_t i = 0; i < n; i++) {
		subflows += ctrl[i]->set.subflows;
		spread += ctrl[i]->set.n_usage > 1;
		links = ctrl[i]->set.n_usage > links ? ctrl[i]->set.n_usage : links;
	}
	if (spread < 2)
		return;
	f = finding_add(c, rule, subject_subsystem(ctrl[0]->subsysnqn));
	finding_why_subject(c, f,
			    "has %zu controllers that use several links each: %zu subflows over "
			    "%zu links. If all lead to one machine, one controller is enough",
			    n, subflows, links);
	finding_fact(c, f, "controllers", "%zu", n);
	finding_fact(c, f, "subflows", "%zu", subflows);
	finding_fact(c, f, "links", "%zu", links);
}

void rule_both_layers(struct check *c, enum rule_id rule)
{
	_cleanup_(free) const struct nvme_mptcp_ctrl **sorted = NULL;
	size_t n = 0;

	if (c->snap->n_ctrls < 2)
		return;
	sorted = calloc(c->snap->n_ctrls, sizeof(*sorted));
	if (!sorted) {
		c->err = -ENOMEM;
		return;
	}
	FOR_EACH(ctrl, c->snap->ctrls, c->snap->n_ctrls)
		if (check_covers_ctrl(c, ctrl) && ctrl->subsysnqn && ctrl->set.count)
			sorted[n++] = ctrl;
	qsort(sorted, n, sizeof(*sorted), by_subsystem);
	for (size_t i = 0, same; i < n; i += same) {
		for (same = 1; i + same < n; same++)
			if (strcmp(sorted[i]->subsysnqn, sorted[i + same]->subsysnqn))
				break;
		if (same > 1)
			report_two_layers(c, rule, &sorted[i], same);
	}
}
