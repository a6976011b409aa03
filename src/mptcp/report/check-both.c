// SPDX-License-Identifier: LGPL-2.1-or-later
/* The public check: rules of this side, a trial, and the report of the other side. */
#include <errno.h>
#include <stdlib.h>

#include "base/failure.h"
#include "base/versioned.h"
#include "mptcp/check/ask.h"
#include "mptcp/check/rules.h"
#include "mptcp/netlink/netns.h"
#include "mptcp/trial/trial-state.h"
#include "check-trials.h"
#include "peer.h"

struct job {
	const struct nvme_mptcp_check_args *args;
	struct check *c;
};

/* Runs in the network namespace: the zone of an address is a link there. */
static int prepare(void *arg)
{
	const struct job *job = arg;

	return check_prepare(job->c, job->args->traddr, job->args->trsvcid, job->args->role);
}

static int run_rules(void *arg)
{
	return check_run(arg);
}

static int compare(void *arg)
{
	struct check *c = arg;

	return peer_check(c, c->peer);
}

/* @ignore: names of rules, NULL ends them; NULL: none. */
static bool is_ignored(const struct nvme_mptcp_finding *f, const void *ignore)
{
	for (const char *const *name = ignore; name && *name; name++)
		if (rule_find(*name) == f->rule)
			return true;
	return false;
}

static int run(const struct nvme_mptcp_check_args *args, struct nvme_mptcp_findings *findings)
{
	struct check c = {
		.snap = args->snap,
		.before = args->before,
		.ctrls = args->ctrls,
		.unrelayed = args->unrelayed,
		.findings = findings,
		.ops = &ask_kernel_ops,
		.trial = args->trial,
		.peer = args->peer,
		.other_netns = args->peer ? args->peer->snap->netns : NULL,
		.no_probes = args->no_trial,
	};
	struct job job = { args, &c };
	int err = target_read(args->snap, &c.nvmet);

	if (!err)
		err = netns_run(args->snap->netns, prepare, &job);
	findings->own_role = c.role;
	if (!err && c.trial && c.trial->conn && !c.n_conns)
		err = check_add_connection(&c, c.trial->conn);
	if (!err)
		err = netns_run(args->snap->netns, run_rules, &c);
	if (!err && !args->no_trial)
		err = report_try_incomplete(&c) ?: report_try_lost(&c);
	if (!err && c.peer)
		err = netns_run(args->snap->netns, compare, &c);
	if (!err && args->ignore)
		/* Last, because other rules depend on them. */
		findings->ignored += finding_drop_if(findings, is_ignored, args->ignore);
	if (!err)
		err = fix_remove_duplicates(findings);
	if (!err && c.trial)
		err = trial_to_json(c.trial, &findings->trial);
	if (!err)
		err = str_set(&findings->connects_by, args->connects_by);
	check_clear(&c);
	return err;
}

static int take_args(const struct nvme_mptcp_check_args *args, struct nvme_mptcp_check_args *ret)
{
	int err = versioned_take(ret, args);

	if (err)
		return err;
	if (ret->trial && !ret->snap) {
		ret->snap = ret->trial->after;
		ret->before = ret->trial->before;
	}
	for (size_t i = 0; ret->ignore && ret->ignore[i]; i++)
		if (rule_find(ret->ignore[i]) == RULE_COUNT)
			return failure_note(-EINVAL, "ignore: unknown rule %s", ret->ignore[i]);
	return ret->snap ? 0
			 : failure_note(-EINVAL, "snap=NULL: a check requires a snapshot or a "
						 "trial");
}

int nvme_mptcp_check(const struct nvme_mptcp_check_args *args, nvme_mptcp_findings_t *ret)
{
	struct nvme_mptcp_findings *findings = NULL;
	struct nvme_mptcp_check_args known;
	int err = take_args(args, &known);

	if (err)
		return failure_raise(err, "a check");
	findings = calloc(1, sizeof(*findings));
	err = findings ? run(&known, findings) : -ENOMEM;
	if (err) {
		nvme_mptcp_findings_free(findings);
		return failure_raise(err, "a check");
	}
	*ret = findings;
	return 0;
}
