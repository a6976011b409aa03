// SPDX-License-Identifier: LGPL-2.1-or-later
/* What snapshot/coverage.c decides for each controller, as one list. */
#include <errno.h>
#include <string.h>

#include "lacks.h"

static bool is_live(const struct nvme_mptcp_ctrl *ctrl)
{
	return ctrl->state && !strcmp(ctrl->state, "live");
}

struct lack *check_lack_of(struct lacks *lacks, const struct nvme_mptcp_link *link)
{
	struct lack *lack;

	for (size_t i = 0; i < lacks->n; i++)
		if (lacks->lack[i].link == link)
			return &lacks->lack[i];
	lack = array_add(&lacks->lack, &lacks->n, sizeof(*lack));
	if (lack)
		lack->link = link;
	return lack;
}

static int add_lack(struct lacks *lacks, const struct nvme_mptcp_ctrl *ctrl,
		    nvme_mptcp_coverage_t coverage, size_t connections)
{
	nvme_mptcp_link_t link = nvme_mptcp_coverage_link(coverage);
	struct lack *lack = check_lack_of(lacks, link);

	if (!lack)
		return -ENOMEM;
	if (!lack->ctrls) {
		lack->ctrl = ctrl;
		lack->reason = nvme_mptcp_coverage_reason(coverage);
		lack->trouble = link ? NULL : nvme_mptcp_coverage_trouble(coverage);
	}
	lack->ctrls++;
	lack->connections += connections;
	return 0;
}

static int add_lacks(struct lacks *lacks, const struct nvme_mptcp_ctrl *ctrl, nvme_mptcp_set_t set,
		     enum nvme_mptcp_coverage_state state)
{
	int err = 0;

	nvme_mptcp_for_each_coverage(set, coverage) {
		size_t n = nvme_mptcp_coverage_count(coverage, state);

		if (!err && n)
			err = add_lack(lacks, ctrl, coverage, n);
	}
	return err;
}

int check_find_lacks(const struct check *c, enum nvme_mptcp_coverage_state state,
		     struct lacks *lacks)
{
	const struct nvme_mptcp_snapshot *snap = c->snap;
	int err = 0;

	for (size_t i = 0; i < snap->n_ctrls && !err; i++)
		if (check_covers_ctrl(c, &snap->ctrls[i]) && is_live(&snap->ctrls[i]))
			err = add_lacks(lacks, &snap->ctrls[i], &snap->ctrls[i].set, state);
	for (size_t i = 0; i < snap->n_shared && !err; i++) {
		const struct nvme_mptcp_ctrl *ctrl = snap->shared[i].ctrls[0];

		if (check_covers_ctrl(c, ctrl) && is_live(ctrl))
			err = add_lacks(lacks, ctrl, &snap->shared[i].set, state);
	}
	return err;
}
