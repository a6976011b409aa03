// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules N: controllers, and whose connections are whose. doc/mptcp-rules.md */
#include <errno.h>
#include <string.h>

#include "check-private.h"

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
		fix_again(c, f, ep, flag_words(ep), ep->link->name);
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

const struct rule controller_rules[] = {
	{ "N07", NVME_MPTCP_ERROR, ON_HOST, "Connected in another network namespace", elsewhere },
	{ "N02", NVME_MPTCP_WARNING, ON_HOST, "Controller not live", not_live },
	{ "N03", NVME_MPTCP_INFO, ON_HOST, "Connections that may be several controllers'", shared },
	{ "N04", NVME_MPTCP_WARNING, ON_HOST, "Connections missing", missing },
	{ "N05", NVME_MPTCP_WARNING, ON_HOST, "Bound controller, endpoint without a device",
	  no_device_given },
	{},
};
