// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme list-subsys */
#include "commands.h"
#include "topology.h"

/* Return the ANA state of a namespace through @c, or NULL if @c does not reach it. */
static const char *ana_state(nvme_ctrl_t c, const char *ns_name)
{
	nvme_path_t p;
	nvme_ns_t n;

	nvme_ctrl_for_each_path(c, p) {
		n = nvme_path_get_ns(p);
		if (n && !strcmp(nvme_ns_get_name(n), ns_name))
			return nvme_path_get_ana_state(p);
	}
	nvme_ctrl_for_each_ns(c, n)
		if (!strcmp(nvme_ns_get_name(n), ns_name))
			return "optimized";
	return NULL;
}

static void show_paths(struct command *cmd, nvme_subsystem_t s, void *arg)
{
	const char *ns_name = arg;
	struct out *out = cmd->out;
	nvme_ctrl_t c;

	out_array(out, "Paths");
	nvme_subsystem_for_each_ctrl(s, c) {
		const char *ana;

		if (!nvme_ctrl_get_name(c))
			continue;
		out_object(out, NULL);
		topology_show_ctrl(out, " +- ", c);
		if (ns_name) {
			ana = ana_state(c, ns_name);
			out_str(out, "ANAState", ana);
			if (ana)
				out_text(out, " %s", out_safe(out, ana));
		}
		out_text(out, "\n");
		out_end(out);
	}
	out_end(out);
}

static int list_subsys(struct command *cmd)
{
	const char *ns_name;

	if (topology_ns_operand(cmd, &ns_name) || topology_scan(cmd, ns_name))
		return 1;
	return topology_show_subsystems(cmd, ns_name, false, show_paths, (void *)ns_name);
}

COMMAND(list_subsys_command, "list-subsys", "List the subsystems with their controllers",
	OPTIONS(GENERIC_OPTIONS), .operands = "[/dev/nvmeXnY]", .formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1, .run = list_subsys);
