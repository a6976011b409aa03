// SPDX-License-Identifier: LGPL-2.1-or-later
/* A live controller's joins are over: a trial to its portal shows why its subflows are missing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>

#include "mptcp/netlink/netns.h"
#include "mptcp/trial/trial-state.h"
#include "check-trials.h"

#define MAX_TRIALS 3
#define SEEN_IN "seen_in"
#define ANSWER_MS 3000 /* short, because the target is reachable: its controllers are live */

DEFINE_CLEANUP(nvme_mptcp_trial_t, nvme_mptcp_trial_free);
DEFINE_CLEANUP(nvme_mptcp_findings_t, nvme_mptcp_findings_free);

/* True for findings that say that subflows are missing, but not why. */
static bool is_guess(const struct nvme_mptcp_finding *f)
{
	return f->rule == RULE_C05 ||
	       (f->rule == RULE_A11 && finding_get_fact(f, FACT_FOLLOWED_BY)) ||
	       (f->rule == RULE_C13 && !finding_get_fact(f, FACT_CROWDED)) ||
	       (f->rule == RULE_H01 && f->severity == NVME_MPTCP_WARNING &&
		!finding_get_fact(f, SEEN_IN));
}

/* True for findings about one join; other joins may have failed for another reason. */
static bool is_about_join(const struct nvme_mptcp_finding *f)
{
	return f->subject.kind == NVME_MPTCP_SUBJECT_PATH;
}

static bool has_guess(const struct check *c)
{
	for (size_t i = 0; i < c->findings->n; i++)
		if (is_guess(&c->findings->finding[i]))
			return true;
	return false;
}

static bool is_explained(const struct check *c)
{
	for (size_t i = 0; i < c->findings->n; i++)
		if (c->findings->finding[i].severity > NVME_MPTCP_INFO)
			return true;
	return false;
}

static bool needs_trial(const struct check *c)
{
	bool explained = false;

	/* Where no further connection is accepted, a trial gets none either. */
	if (!(c->role & ON_HOST) || c->before_connecting || c->trial || check_knows_limit(c))
		return false;
	/* A pending or refused join does not explain links without joins. */
	FOR_EACH(f, c->findings->finding, c->findings->n)
		explained |= f->severity > NVME_MPTCP_INFO && !is_about_join(f);
	return has_guess(c) || !explained;
}

/* True if a connection has followed as many announcements as its limit permits. */
static bool is_at_limit(const struct check *c)
{
	FOR_EACH_CONN(c, conn)
		if (connection_ignores_announcements(conn))
			return true;
	return false;
}

/* True if announced addresses were not used, or were announced to other connections. */
static bool was_announced_in_vain(const struct check *c)
{
	return check_announced(c) > 0 && !check_has_followed(c);
}

/* True if the kernel made an endpoint of an address that lo has: of a join to an address of this host. */
static bool has_joined_itself(const struct check *c)
{
	FOR_EACH_ENDPOINT(c, ep)
		if (endpoint_has(ep, NVME_MPTCP_ENDPOINT_IMPLICIT) && !ep->subflows && ep->link &&
		    (ep->link->flags & IFF_LOOPBACK) && !address_is_loopback(&ep->ip))
			return true;
	return false;
}

/* True if a connection followed more announcements than it has subflows: some joins failed. */
static bool has_followed_in_vain(const struct check *c)
{
	FOR_EACH_CONN(c, conn)
		if (conn->n_subflows &&
		    conn->value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED] >= (int64_t)conn->n_subflows)
			return true;
	return false;
}

/*
 * True if subflows may be missing unnoticed: announcements that arrived while a link was dead, or
 * without a route, leave no trace. A trial shows whether they lead to a subflow.
 */
static bool may_lack_link(const struct check *c)
{
	if (c->snap->limit_add_addr_accepted <= 0 ||
	    (!check_has_dead_link(c) && !is_at_limit(c) && !was_announced_in_vain(c) &&
	     !has_joined_itself(c) && !has_followed_in_vain(c) &&
	     check_counter_total(c, "MPTcpExt", "MPJoinSynTxConnectErr") <= 0))
		return false;
	FOR_EACH_ENDPOINT(c, ep)
		if (endpoint_starts_by_itself(ep))
			return false;
	return true;
}

static bool lacks_subflows(const struct check *c, const struct nvme_mptcp_ctrl *ctrl)
{
	return check_covers_ctrl(c, ctrl) && ctrl_state_is_live(ctrl) && ctrl->traddr &&
	       ctrl->has_portal && (nvme_mptcp_set_missing(&ctrl->set) || may_lack_link(c));
}

/* One trial per portal: its first controller represents the others. */
static bool is_first(const struct check *c, const struct nvme_mptcp_ctrl *ctrl)
{
	for (const struct nvme_mptcp_ctrl *other = c->snap->ctrls; other < ctrl; other++)
		if (lacks_subflows(c, other) && address_port_equal(&other->portal, &ctrl->portal))
			return false;
	return true;
}

static nvme_mptcp_trial_t make_trial(const struct check *c, const struct nvme_mptcp_ctrl *ctrl)
{
	const struct nvme_mptcp_trial_args args = {
		.netns = c->snap->netns,
		.traddr = ctrl->traddr,
		.trsvcid = ctrl->trsvcid,
		.host_traddr = ctrl->host_traddr,
		.host_iface = ctrl->host_iface,
		.args_size = sizeof(args),
		.timeout_ms = ANSWER_MS,
	};
	nvme_mptcp_trial_t trial = NULL;

	return nvme_mptcp_try(&args, &trial) ? NULL : trial;
}

struct judge {
	struct check *c;
	const struct nvme_mptcp_ctrl *ctrl;
};

static int judge_portal(void *arg)
{
	const struct judge *judge = arg;
	struct check *c = judge->c;
	int err = check_prepare(c, judge->ctrl->traddr, judge->ctrl->trsvcid, NVME_MPTCP_ROLE_HOST);

	if (!err && c->trial->conn)
		err = check_add_connection(c, c->trial->conn);
	return err ? err : check_run(c);
}

/* Run the rules on the trial alone. Return 0 or -errno; the caller frees @ret in any case. */
static int judge_trial(const struct check *c, nvme_mptcp_trial_t trial,
		       const struct nvme_mptcp_ctrl *ctrl, struct nvme_mptcp_findings **ret)
{
	struct check t = { .snap = trial->after,
			   .before = trial->before,
			   .ops = c->ops,
			   .trial = trial,
			   .earlier = c,
			   .findings = calloc(1, sizeof(*t.findings)) };
	struct judge judge = { &t, ctrl };
	int err = t.findings ? 0 : -ENOMEM;

	*ret = t.findings;
	if (!err)
		err = netns_run(c->snap->netns, judge_portal, &judge);
	check_clear(&t);
	return err;
}

static bool is_known(const struct nvme_mptcp_findings *all, const struct nvme_mptcp_finding *f)
{
	for (size_t i = 0; i < all->n; i++)
		if (!is_guess(&all->finding[i]) && all->finding[i].rule == f->rule &&
		    all->finding[i].text && f->text && !strcmp(all->finding[i].text, f->text))
			return true;
	return false;
}

/*
 * Add a reset: a target that rejected joins of a connection rejects them until it ends, and
 * announced addresses that it does not use are not announced again.
 */
static void suggest_reset(struct check *c, struct nvme_mptcp_finding *f)
{
	if (f->rule == RULE_T06 || f->rule == RULE_T07 ||
	    (f->rule == RULE_H01 && check_announced(c) > 0))
		fix_reset_all(c, f);
	else if (f->rule == RULE_H06 || f->rule == RULE_H05)
		finding_why_more(c, f,
				 ". Existing connections change only when the controller is reset");
}

/* True if the finding is about a silent path to @address. */
static bool leads_to(const struct nvme_mptcp_finding *f, const struct subject *address)
{
	const char *text = finding_get_fact(f, FACT_REMOTE);
	struct ip_addr ip;

	return address->kind == NVME_MPTCP_SUBJECT_ADDRESS && text && !address_parse(text, &ip) &&
	       address_equal(&ip.in6, &address->ip[0]);
}

/* True for a finding about an unanswered join that the finding @arg of the trial explains. */
static bool is_explained_by(const struct nvme_mptcp_finding *f, const void *arg)
{
	const struct nvme_mptcp_finding *by = arg;

	return (f->rule == RULE_F01 && is_about_join(f) && is_about_join(by) &&
		subject_is_path(&by->subject, &f->subject.ip[0], &f->subject.ip[1])) ||
	       (f->rule == RULE_C17 && by->rule == RULE_R01 && leads_to(f, &by->subject));
}

/* True if subflows are known to be missing. */
static bool is_short(const struct check *c)
{
	FOR_EACH(ctrl, c->snap->ctrls, c->snap->n_ctrls)
		if (check_covers_ctrl(c, ctrl) && nvme_mptcp_set_missing(&ctrl->set))
			return true;
	return has_guess(c);
}

/* Take over new findings about the path to the target. Return the number of new and known ones, or -errno. */
static int take_findings(struct check *c, struct nvme_mptcp_findings *from)
{
	const bool explained = is_explained(c), is_whole = !explained && !is_short(c);
	int taken = 0;

	for (size_t i = 0; i < from->n; i++) {
		struct nvme_mptcp_finding *f = &from->finding[i], *added;

		/* Not C10: a target exists, because its controllers are live. */
		if ((explained && f->rule == RULE_C10) || f->severity == NVME_MPTCP_INFO ||
		    f->rule == RULE_C11 || f->rule == RULE_O1 ||
		    (f->rule == RULE_A11 && finding_get_fact(f, FACT_FOLLOWED_BY)))
			continue;
		/* Nothing is lost by an announced address that no host can use. */
		if (is_whole && f->severity == NVME_MPTCP_WARNING &&
		    f->side == NVME_MPTCP_ROLE_TARGET)
			continue;
		if (is_known(c->findings, f)) {
			taken += is_about_join(f);
			continue;
		}
		finding_drop_if(c->findings, is_explained_by, f);
		added = array_add(&c->findings->finding, &c->findings->n, sizeof(*added));
		if (!added)
			return -ENOMEM;
		*added = *f;
		added->order = c->findings->n;
		*f = (struct nvme_mptcp_finding){};
		finding_fact(c, added, SEEN_IN, "a trial to the portal");
		suggest_reset(c, added);
		taken++;
	}
	return c->err ? c->err : taken;
}

static bool trial_has_link(const struct nvme_mptcp_trial *trial, const struct nvme_mptcp_link *link)
{
	for (size_t i = 0; link && trial->conn && i < trial->conn->n_subflows; i++) {
		const struct nvme_mptcp_subflow *sf = &trial->conn->subflows[i];

		if (subflow_carries(sf) && sf->link && sf->link->ifindex == link->ifindex)
			return true;
	}
	return false;
}

/* True if the reason applies to each link: a limit, or a target that rejects joins. */
static bool holds_for_all(const struct check *c)
{
	return check_has_found(c, RULE_T06) || check_has_found(c, RULE_T07) ||
	       check_has_found(c, RULE_H05);
}

/* A trial that has found a reason, and whether that holds for all links. */
struct reasoned {
	const struct check *c;
	const struct nvme_mptcp_trial *trial;
	bool everywhere;
};

/* True for a guess about a link that the trial did not get either, because it has found the reason. */
static bool is_settled_guess(const struct nvme_mptcp_finding *f, const void *arg)
{
	const struct reasoned *by = arg;

	return is_guess(f) &&
	       (by->everywhere || !trial_has_link(by->trial, finding_link(by->c, f)));
}

static void note_trial(struct check *c, const struct nvme_mptcp_trial *trial)
{
	for (size_t i = 0; i < c->findings->n; i++)
		if (is_guess(&c->findings->finding[i]))
			finding_fact(c, &c->findings->finding[i], "trial", "%lld of %lld subflows",
				     (long long)trial->established, (long long)trial->expected);
}

static bool has_link(const struct nvme_mptcp_ctrl *ctrl, const struct nvme_mptcp_link *link)
{
	for (const struct nvme_mptcp_connection *conn = ctrl->set.first; conn; conn = conn->next)
		FOR_EACH(sf, conn->subflows, conn->n_subflows)
			if (sf->link && sf->link->ifindex == link->ifindex)
				return true;
	return false;
}

/* True if F10 is about packets from there: a probe may have made the path work for a while. */
static bool drops_arp_of(const struct check *c, const struct in6_addr *local)
{
	FOR_EACH(f, c->findings->finding, c->findings->n)
		if (f->rule == RULE_F10 && is_about_join(f) &&
		    address_equal(&f->subject.ip[0], local))
			return true;
	return false;
}

/* Report links that only new connections use, because their address or route is newer. */
static void newer_links(struct check *c, const struct nvme_mptcp_trial *trial,
			const struct nvme_mptcp_ctrl *ctrl)
{
	const struct nvme_mptcp_connection *conn = ctrl->set.first;

	/* Do not suggest a reset that would lose subflows. */
	if (!conn || !trial->conn ||
	    trial->established <= (int64_t)connection_count_established(conn))
		return;
	FOR_EACH(sf, trial->conn->subflows, trial->conn->n_subflows) {
		struct nvme_mptcp_finding *f;

		if (!subflow_carries(sf) || !sf->link || has_link(ctrl, sf->link) ||
		    drops_arp_of(c, &sf->local.ip))
			continue;
		f = finding_why(
			c, finding_add(c, RULE_C13, subject_link(sf->link->name)),
			"Connections of %s have no subflow on link %s, but a new connection gets "
			"one there, as if the address or the route of the link was added later",
			ctrl->name, sf->link->name);
		finding_fact(c, f, SEEN_IN, "a trial to the portal");
		fix_reset_whole(c, f, ctrl);
	}
}

/*
 * Make a trial and run the rules on it. @trial stays NULL without permission to bind to a device:
 * guesses remain. Return 0 or -errno; the caller frees both.
 */
static int judged_trial(const struct check *c, const struct nvme_mptcp_ctrl *ctrl,
			nvme_mptcp_trial_t *trial, struct nvme_mptcp_findings **found)
{
	*trial = make_trial(c, ctrl);
	if (!*trial)
		return errno == ENOMEM ? -ENOMEM : 0;
	return judge_trial(c, *trial, ctrl, found);
}

static int try_portal(struct check *c, const struct nvme_mptcp_ctrl *ctrl)
{
	_cleanup_(nvme_mptcp_trial_free) nvme_mptcp_trial_t trial = NULL;
	_cleanup_(nvme_mptcp_findings_free) struct nvme_mptcp_findings *found = NULL;
	int err = judged_trial(c, ctrl, &trial, &found);

	if (err || !trial)
		return err;
	err = take_findings(c, found);
	if (err > 0)
		finding_drop_if(c->findings, is_settled_guess,
				&(struct reasoned){ c, trial, holds_for_all(c) });
	else if (!err)
		note_trial(c, trial);
	if (!err && !has_guess(c))
		newer_links(c, trial, ctrl);
	if (err >= 0 && !c->findings->trial)
		err = trial_to_json(trial, &c->findings->trial);
	return err < 0 ? err : 0;
}

/* A controller that is not live, and its finding. */
struct lost {
	struct check *c;
	const struct nvme_mptcp_ctrl *ctrl;
	struct nvme_mptcp_finding *f; /* N02 */
	bool is_explained;
};

/* List them in one pass: findings are in the order of their controllers. Return 0 or -ENOMEM. */
static int list_lost(struct check *c, struct lost **ret, size_t *n)
{
	size_t at = 0;

	FOR_EACH(f, c->findings->finding, c->findings->n) {
		struct lost lost = { .c = c, .f = f };

		for (size_t i = 0; f->rule == RULE_N02 && f->text && i < c->snap->n_ctrls; i++) {
			lost.ctrl = &c->snap->ctrls[at];
			at = (at + 1) % c->snap->n_ctrls;
			if (str_eq(f->object[0], lost.ctrl->name))
				break;
			lost.ctrl = NULL;
		}
		if (lost.ctrl && lost.ctrl->traddr && lost.ctrl->has_portal &&
		    array_push(ret, n, &lost, sizeof(lost)))
			return -ENOMEM;
	}
	return 0;
}

static int explain_reachable(void *arg)
{
	struct lost *lost = arg;

	if (!check_misses_relay(lost->c, lost->f, lost->ctrl))
		finding_why_more(lost->c, lost->f,
				 ". The target answers a trial connection, so the reason is in the "
				 "kernel's log (dmesg)");
	return lost->c->err;
}

/* Say in N02 why the target does not answer, with the commands of that finding. */
static void explain_lost(struct lost *lost, const struct nvme_mptcp_finding *cause)
{
	finding_why_more(lost->c, lost->f, ". %s", cause->why);
	finding_fact(lost->c, lost->f, "cause", "%s", rule_get(cause->rule)->name);
	for (size_t i = 0; i < cause->n_fixes; i++)
		finding_fix_verbatim(lost->c, lost->f, cause->fixes[i].side,
				     cause->fixes[i].command);
}

static int try_lost(struct check *c, struct lost *lost)
{
	_cleanup_(nvme_mptcp_trial_free) nvme_mptcp_trial_t trial = NULL;
	_cleanup_(nvme_mptcp_findings_free) struct nvme_mptcp_findings *found = NULL;
	const struct nvme_mptcp_finding *cause;
	int err = judged_trial(c, lost->ctrl, &trial, &found);

	if (err || !trial)
		return err;
	cause = found->n && found->finding->severity == NVME_MPTCP_ERROR ? found->finding : NULL;
	if (trial->outcome <= NVME_MPTCP_TRIAL_FALLBACK)
		return netns_run(c->snap->netns, explain_reachable, lost);
	if (cause && !is_known(c->findings, cause))
		explain_lost(lost, cause);
	return c->err;
}

/* Try the portal of a controller, and explain those of the same portal alike. */
static int try_portal_of(struct check *c, struct lost *lost, struct lost *end)
{
	const size_t length = strlen(lost->f->why), n_fixes = lost->f->n_fixes;
	const char *cause;
	int err = try_lost(c, lost);

	if (err)
		return err;
	cause = finding_get_fact(lost->f, "cause");
	for (struct lost *other = lost + 1; other < end; other++) {
		if (!address_port_equal(&other->ctrl->portal, &lost->ctrl->portal))
			continue;
		other->is_explained = true;
		finding_why_more(c, other->f, "%s", lost->f->why + length);
		if (cause)
			finding_fact(c, other->f, "cause", "%s", cause);
		for (size_t i = n_fixes; i < lost->f->n_fixes; i++)
			finding_fix_verbatim(c, other->f, lost->f->fixes[i].side,
					     lost->f->fixes[i].command);
	}
	return c->err;
}

int report_try_lost(struct check *c)
{
	_cleanup_(free) struct lost *all = NULL;
	size_t n = 0, tried = 0;
	int err;

	if (!(c->role & ON_HOST) || c->before_connecting || c->trial)
		return 0;
	err = list_lost(c, &all, &n);
	for (size_t i = 0; i < n && tried < MAX_TRIALS && !err; i++) {
		if (all[i].is_explained)
			continue;
		tried++;
		err = try_portal_of(c, &all[i], all + n);
	}
	return err;
}

int report_try_incomplete(struct check *c)
{
	size_t n = 0;
	int err = 0;

	if (!needs_trial(c))
		return 0;
	for (size_t i = 0; i < c->snap->n_ctrls && n < MAX_TRIALS && !err; i++) {
		const struct nvme_mptcp_ctrl *ctrl = &c->snap->ctrls[i];

		if (!lacks_subflows(c, ctrl) || !is_first(c, ctrl))
			continue;
		n++;
		err = try_portal(c, ctrl);
	}
	if (!err)
		finding_sort_all(c->findings);
	return err;
}
