// SPDX-License-Identifier: LGPL-2.1-or-later
/* The results of snapshot/coverage.c for each controller, combined into one list. */
#include <errno.h>

#include "tally.h"

struct tally *check_tally_of(struct tallies *tallies, const struct nvme_mptcp_link *link)
{
	struct tally *tally;

	for (size_t i = 0; i < tallies->n; i++)
		if (tallies->tally[i].link == link)
			return &tallies->tally[i];
	tally = array_add(&tallies->tally, &tallies->n, sizeof(*tally));
	if (tally)
		tally->link = link;
	return tally;
}

static int add_tally(struct tallies *tallies, const struct nvme_mptcp_ctrl *ctrl,
		     nvme_mptcp_coverage_t coverage, size_t connections)
{
	nvme_mptcp_link_t link = nvme_mptcp_coverage_link(coverage);
	struct tally *tally = check_tally_of(tallies, link);

	if (!tally)
		return -ENOMEM;
	if (!tally->ctrls) {
		tally->ctrl = ctrl;
		tally->reason = nvme_mptcp_coverage_reason(coverage);
		tally->trouble = link ? NULL : nvme_mptcp_coverage_trouble(coverage);
	}
	tally->ctrls++;
	tally->connections += connections;
	return 0;
}

static int add_tallies(struct tallies *tallies, const struct nvme_mptcp_ctrl *ctrl,
		       nvme_mptcp_set_t set, enum nvme_mptcp_coverage_state state)
{
	int err = 0;

	nvme_mptcp_for_each_coverage(set, coverage) {
		size_t n = nvme_mptcp_coverage_count(coverage, state);

		if (!err && n)
			err = add_tally(tallies, ctrl, coverage, n);
	}
	return err;
}

int check_find_tallies(const struct check *c, enum nvme_mptcp_coverage_state state,
		       struct tallies *tallies)
{
	const struct nvme_mptcp_snapshot *snap = c->snap;
	int err = 0;

	for (size_t i = 0; i < snap->n_ctrls && !err; i++)
		if (check_covers_ctrl(c, &snap->ctrls[i]) && ctrl_state_is_live(&snap->ctrls[i]))
			err = add_tallies(tallies, &snap->ctrls[i], &snap->ctrls[i].set, state);
	for (size_t i = 0; i < snap->n_shared && !err; i++) {
		const struct nvme_mptcp_ctrl *ctrl = snap->shared[i].ctrls[0];

		if (check_covers_ctrl(c, ctrl) && ctrl_state_is_live(ctrl))
			err = add_tallies(tallies, ctrl, &snap->shared[i].set, state);
	}
	return err;
}
