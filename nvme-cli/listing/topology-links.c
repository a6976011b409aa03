// SPDX-License-Identifier: GPL-2.0-or-later
/* Text of a controller's links, if its transport has subflows or a relay carries it. */
#include <nvme/transport.h>

#include "topology.h"

static bool has_trait(nvme_root_t r, enum nvmf_transport_trait trait)
{
	nvme_subsystem_t s;
	nvme_host_t h;
	nvme_ctrl_t c;

	nvme_for_each_host(r, h)
		nvme_for_each_subsystem(h, s)
			nvme_subsystem_for_each_ctrl(s, c)
				if (nvmf_transport_has(nvme_ctrl_get_transport(c), trait))
					return true;
	return false;
}

/* True if a relay is running and there is a controller that it may carry. */
static bool is_relay_there(nvme_root_t r)
{
	struct nvme_mptcp_relay_status *status;

	if (!has_trait(r, NVMF_TRANSPORT_DIGESTS) || nvme_mptcp_relay_ask(NULL, &status))
		return false;
	nvme_mptcp_relay_status_free(status);
	return true;
}

int topology_take_links(struct command *cmd, struct topology_links *links)
{
	int err = 0;

	if (!has_trait(cmd->root, NVMF_TRANSPORT_SUBFLOWS) && !is_relay_there(cmd->root))
		return 0;
	if (nvme_mptcp_snapshot_take(cmd->root, NULL, &links->snap))
		err = errno;
	/* Ignore what the kernel does not report, but fail if memory was short. */
	for (unsigned int part = 0; !err && nvme_mptcp_part_name(part); part++)
		if (nvme_mptcp_snapshot_errno(links->snap, part) == ENOMEM)
			err = ENOMEM;
	return err ? command_fail(cmd, err, NVME_COMMAND " %s", cmd->name) : 0;
}

void topology_free_links(struct topology_links *links)
{
	nvme_mptcp_snapshot_free(links->snap);
}

/* Start after the previous result: callers ask in about the order of the snapshot. */
static nvme_mptcp_ctrl_t find_ctrl(struct topology_links *links, const char *name)
{
	nvme_mptcp_ctrl_t ctrl = links->last;

	do {
		ctrl = nvme_mptcp_ctrl_next(links->snap, ctrl);
		if (ctrl && !strcmp(nvme_mptcp_ctrl_name(ctrl), name))
			return links->last = ctrl;
	} while (ctrl != links->last);
	return NULL;
}

static nvme_mptcp_coverage_t coverage_of(nvme_mptcp_set_t set, nvme_mptcp_link_t link)
{
	nvme_mptcp_for_each_coverage(set, coverage)
		if (nvme_mptcp_coverage_link(coverage) == link)
			return coverage;
	return NULL;
}

static bool is_used(nvme_mptcp_set_t set, nvme_mptcp_link_t link)
{
	nvme_mptcp_for_each_usage(set, usage)
		if (nvme_mptcp_usage_link(usage) == link)
			return true;
	return false;
}

/* Print "eth1", or "one of eth1, eth2" if the kernel chose a next hop and does not report which. */
static void show_names(struct out *out, nvme_mptcp_link_t link, nvme_mptcp_usage_t usage)
{
	nvme_mptcp_link_t possible = usage ? nvme_mptcp_usage_possible_link(usage, 0) : NULL;

	if (link || !possible)
		out_text(out, "%s",
			 link ? out_safe(out, nvme_mptcp_link_name(link)) : "unknown link");
	for (size_t i = 0; !link && possible; possible = nvme_mptcp_usage_possible_link(usage, ++i))
		out_text(out, "%s%s", i ? ", " : "one of ",
			 out_safe(out, nvme_mptcp_link_name(possible)));
}

/* Either of @usage and @coverage may be NULL. */
static void show_link(struct out *out, int indent, nvme_mptcp_usage_t usage,
		      nvme_mptcp_coverage_t coverage)
{
	nvme_mptcp_link_t link =
		usage ? nvme_mptcp_usage_link(usage) : nvme_mptcp_coverage_link(coverage);
	size_t subflows = usage ? nvme_mptcp_usage_subflows(usage) : 0;
	size_t pending = usage ? nvme_mptcp_usage_pending(usage) : 0;
	size_t dead = usage ? nvme_mptcp_usage_dead(usage) : 0;
	size_t missing = coverage ? nvme_mptcp_coverage_count(coverage, NVME_MPTCP_MISSING) : 0;
	size_t backups = coverage ? nvme_mptcp_coverage_backups(coverage) : 0;

	out_text(out, "%*s+- ", indent, "");
	show_names(out, link, usage);
	out_text(out, " %zu subflow%s", subflows, subflows == 1 ? "" : "s");
	if (backups)
		out_text(out, ", %zu backup", backups);
	if (dead)
		out_text(out, ", %zu dead", dead);
	if (pending)
		out_text(out, ", %zu pending", pending);
	if (missing)
		out_text(out, ", %zu missing", missing);
	if (link && !nvme_mptcp_link_is_up(link))
		out_text(out, ", down");
	else if (link && !nvme_mptcp_link_has_carrier(link))
		out_text(out, ", no carrier");
	out_text(out, "\n");
}

bool topology_has_links(struct topology_links *links, nvme_ctrl_t c)
{
	return nvmf_transport_has(nvme_ctrl_get_transport(c), NVMF_TRANSPORT_SUBFLOWS) ||
	       (links->snap && find_ctrl(links, nvme_ctrl_get_name(c)));
}

void topology_end_ctrl(struct out *out, int indent, struct topology_links *links, nvme_ctrl_t c)
{
	const char *name = nvme_ctrl_get_name(c);
	nvme_mptcp_ctrl_t ctrl = links->snap && name ? find_ctrl(links, name) : NULL;
	nvme_mptcp_set_t set = ctrl ? nvme_mptcp_ctrl_connections(ctrl) : NULL;

	out_text(out, "%s\n",
		 !ctrl				     ? ""
		 : nvme_mptcp_ctrl_is_bypassed(ctrl) ? ", bypassed"
		 : nvme_mptcp_ctrl_is_relayed(ctrl)  ? ", relay"
						     : "");
	if (!set)
		return;
	nvme_mptcp_for_each_usage(set, usage)
		show_link(out, indent, usage, coverage_of(set, nvme_mptcp_usage_link(usage)));
	nvme_mptcp_for_each_coverage(set, coverage)
		if (nvme_mptcp_coverage_count(coverage, NVME_MPTCP_MISSING) &&
		    !is_used(set, nvme_mptcp_coverage_link(coverage)))
			show_link(out, indent, NULL, coverage);
}
