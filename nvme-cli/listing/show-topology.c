// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme show-topology */
#include "commands.h"
#include "topology.h"

struct show_topology_args {
	const char *ranking;
};

/* What to show. */
struct view {
	const char *ranking;
	struct topology_links links;
};

/* Criterion by which the I/O policy of a subsystem selects a path. Round-robin has none. */
enum preference { PREFERS_NOTHING, PREFERS_NODE, PREFERS_QUEUE_DEPTH };

static enum preference preference(nvme_subsystem_t s)
{
	const char *iopolicy = nvme_subsystem_get_iopolicy(s);

	return !iopolicy			  ? PREFERS_NOTHING
	       : !strcmp(iopolicy, "numa")	  ? PREFERS_NODE
	       : !strcmp(iopolicy, "queue-depth") ? PREFERS_QUEUE_DEPTH
						  : PREFERS_NOTHING;
}

static void show_preference(struct out *out, nvme_subsystem_t s, nvme_path_t p, bool as_text)
{
	const enum preference by = preference(s);

	if (by == PREFERS_QUEUE_DEPTH)
		out_int(out, "Qdepth", nvme_path_get_queue_depth(p));
	else if (by == PREFERS_NODE)
		out_str(out, "NUMANodes", nvme_path_get_numa_nodes(p));
	if (as_text && by == PREFERS_QUEUE_DEPTH)
		out_text(out, "%d ", nvme_path_get_queue_depth(p));
	else if (as_text && by == PREFERS_NODE)
		out_text(out, "%s ", out_safe(out, nvme_path_get_numa_nodes(p)));
}

static void show_path(struct out *out, struct view *view, nvme_subsystem_t s, nvme_path_t p,
		      bool multipath)
{
	nvme_ctrl_t c = nvme_path_get_ctrl(p);

	out_object(out, NULL);
	out_str(out, "Path", nvme_path_get_name(p));
	out_str(out, "ANAState", nvme_path_get_ana_state(p));
	if (multipath)
		out_text(out, "  +- %s %s ", out_safe(out, nvme_path_get_name(p)),
			 out_safe(out, nvme_path_get_ana_state(p)));
	show_preference(out, s, p, multipath);
	out_array(out, "Controller");
	out_object(out, NULL);
	topology_show_ctrl(out, multipath ? "" : "  +- ", c);
	if (!multipath)
		out_text(out, " %s", out_safe(out, nvme_path_get_ana_state(p)));
	topology_end_ctrl(out, 5, &view->links, c);
	out_ends(out, 3);
}

static void print_namespace_heading(struct out *out, nvme_ns_t n, bool multipath)
{
	out_object(out, NULL);
	out_int(out, "NSID", nvme_ns_get_nsid(n));
	out_str(out, "Name", nvme_ns_get_name(n));
	if (multipath)
		out_text(out, " +- %s (ns %d)\n", out_safe(out, nvme_ns_get_name(n)),
			 nvme_ns_get_nsid(n));
	else
		out_text(out, " +- ns %d\n", nvme_ns_get_nsid(n));
	out_text(out, " \\\n");
}

/* Print controllers without namespaces, because nothing else would print their links. */
static void show_ctrls_without_namespaces(struct out *out, nvme_subsystem_t s, struct view *view)
{
	nvme_ctrl_t c;

	if (out_format(out) != OUT_TEXT)
		return;
	nvme_subsystem_for_each_ctrl(s, c) {
		if (!nvme_ctrl_get_name(c) || nvme_ctrl_first_path(c) || nvme_ctrl_first_ns(c) ||
		    !topology_has_links(&view->links, c))
			continue;
		topology_show_ctrl(out, " +- ", c);
		topology_end_ctrl(out, 4, &view->links, c);
	}
}

/* Print namespaces with the paths to them or, without multipath, with their controller. */
static void show_by_namespace(struct command *cmd, nvme_subsystem_t s, struct view *view)
{
	const bool multipath = !strcmp(view->ranking, "multipath");
	struct out *out = cmd->out;
	nvme_path_t p;
	nvme_ctrl_t c;
	nvme_ns_t n;

	out_array(out, "Namespaces");
	nvme_subsystem_for_each_ns(s, n) {
		print_namespace_heading(out, n, multipath);
		out_array(out, "Paths");
		nvme_namespace_for_each_path(n, p)
			show_path(out, view, s, p, multipath);
		out_ends(out, 2);
	}
	nvme_subsystem_for_each_ctrl(s, c) {
		nvme_ctrl_for_each_ns(c, n) {
			print_namespace_heading(out, n, multipath);
			out_array(out, "Controller");
			out_object(out, NULL);
			topology_show_ctrl(out, "  +- ", c);
			topology_end_ctrl(out, 5, &view->links, c);
			out_ends(out, 3);
		}
	}
	out_end(out);
	show_ctrls_without_namespaces(out, s, view);
}

/* As in nvme-cli 2.x, each namespace has the state of the controller, then that of the path. */
static void show_ns_of_ctrl(struct out *out, nvme_ctrl_t c, nvme_ns_t n, const char *ana)
{
	const char *state = nvme_ctrl_get_state(c);

	out_text(out, "  +- ns %d %s", nvme_ns_get_nsid(n),
		 state ? out_safe(out, state) : "unknown");
	out_text(out, "%s%s\n", ana ? " " : "", ana ? out_safe(out, ana) : "");
	out_object(out, NULL);
	out_int(out, "NSID", nvme_ns_get_nsid(n));
	out_str(out, "Name", nvme_ns_get_name(n));
	out_str(out, "ANAState", ana);
	out_end(out);
}

static void show_by_ctrl(struct command *cmd, nvme_subsystem_t s, struct view *view)
{
	struct out *out = cmd->out;
	nvme_path_t p;
	nvme_ctrl_t c;
	nvme_ns_t n;

	out_array(out, "Controllers");
	nvme_subsystem_for_each_ctrl(s, c) {
		if (!nvme_ctrl_get_name(c))
			continue;
		out_object(out, NULL);
		topology_show_stateless(out, " +- ", c);
		topology_end_ctrl(out, 4, &view->links, c);
		out_text(out, " \\\n");
		out_str(out_json_only(out), "State", nvme_ctrl_get_state(c));
		out_array(out, "Namespaces");
		nvme_ctrl_for_each_path(c, p) {
			n = nvme_path_get_ns(p);
			if (n)
				show_ns_of_ctrl(out, c, n, nvme_path_get_ana_state(p));
		}
		nvme_ctrl_for_each_ns(c, n)
			show_ns_of_ctrl(out, c, n, NULL);
		out_ends(out, 2);
	}
	out_end(out);
}

static void table_ctrl(struct out *out, nvme_ctrl_t c)
{
	out_str(out, NULL, nvme_ctrl_get_name(c));
	out_str(out, NULL, nvme_ctrl_get_transport(c));
	out_str(out, NULL, nvme_ctrl_get_address(c));
	out_str(out, NULL, nvme_ctrl_get_state(c));
}

static void table_row(struct out *out, nvme_subsystem_t s, nvme_ns_t n, nvme_path_t p,
		      nvme_ctrl_t c, bool first)
{
	out_row(out);
	out_str(out, NULL, first ? nvme_ns_get_name(n) : "  -->");
	out_int(out, NULL, nvme_ns_get_nsid(n));
	out_str(out, NULL, p ? nvme_path_get_name(p) : NULL);
	out_str(out, NULL, p ? nvme_path_get_ana_state(p) : NULL);
	if (p)
		show_preference(out, s, p, false);
	else if (preference(s) != PREFERS_NOTHING)
		out_unknown(out, NULL);
	table_ctrl(out, c);
}

/* Print the table of a subsystem whose namespaces have one controller each. */
static void show_plain_table(struct out *out, nvme_subsystem_t s)
{
	nvme_ctrl_t c;
	nvme_ns_t n;

	out_table(out, NULL, "Namespace", "NSID", "Controller", "Trtype", "Address", "State");
	out_table_always(out);
	nvme_subsystem_for_each_ctrl(s, c)
		nvme_ctrl_for_each_ns(c, n) {
			out_row(out);
			out_str(out, NULL, nvme_ns_get_name(n));
			out_int(out, NULL, nvme_ns_get_nsid(n));
			table_ctrl(out, c);
		}
	out_end(out);
}

static void show_table(struct out *out, nvme_subsystem_t s)
{
	nvme_path_t p;
	nvme_ctrl_t c;
	nvme_ns_t n;

	if (preference(s) == PREFERS_NOTHING)
		out_table(out, NULL, "NSHead", "NSID", "NSPath", "ANAState", "Controller", "TrType",
			  "Address", "State");
	else
		out_table(out, NULL, "NSHead", "NSID", "NSPath", "ANAState",
			  preference(s) == PREFERS_NODE ? "Nodes" : "Qdepth", "Controller",
			  "TrType", "Address", "State");
	out_table_rule(out);
	nvme_subsystem_for_each_ns(s, n) {
		bool first = true;

		nvme_namespace_for_each_path(n, p) {
			table_row(out, s, n, p, nvme_path_get_ctrl(p), first);
			first = false;
		}
	}
	nvme_subsystem_for_each_ctrl(s, c)
		nvme_ctrl_for_each_ns(c, n)
			table_row(out, s, n, NULL, c, true);
	out_end(out);
}

static void show_below(struct command *cmd, nvme_subsystem_t s, void *arg)
{
	struct view *view = arg;

	if (out_format(cmd->out) == OUT_TABULAR && !nvme_subsystem_first_ns(s))
		show_plain_table(cmd->out, s);
	else if (out_format(cmd->out) == OUT_TABULAR)
		show_table(cmd->out, s);
	else if (!strcmp(view->ranking, "ctrl"))
		show_by_ctrl(cmd, s, view);
	else
		show_by_namespace(cmd, s, view);
}

static int show_topology(struct command *cmd)
{
	const struct show_topology_args *args = cmd->args;
	const char *ns_name = cmd->argc ? topology_ns_name(cmd->argv[0]) : NULL;
	struct view view = { .ranking = args->ranking };
	int status;

	if (strcmp(args->ranking, "namespace") && strcmp(args->ranking, "ctrl") &&
	    strcmp(args->ranking, "multipath"))
		return command_fail(cmd, 0, "Invalid ranking argument: %s", args->ranking);
	/* nvme-cli 2.x ignores other arguments, too. The name of a namespace narrows the output. */
	if (cmd->argc && *cmd->argv[0] && !ns_name)
		command_warn(cmd, 0, NVME_COMMAND " %s: argument '%s' is ignored (not a namespace)",
			     cmd->name, cmd->argv[0]);
	if (topology_scan(cmd, true))
		return 1;
	status = out_format(cmd->out) == OUT_TEXT ? topology_take_links(cmd, &view.links) : 0;
	if (!status)
		status = topology_show_subsystems(cmd, ns_name, out_is_json(cmd->out), show_below,
						  &view);
	topology_free_links(&view.links);
	return status;
}

COMMAND(show_topology_command, "show-topology", "Show namespaces, paths and controllers as trees",
	OPTIONS(OPT(STR, "ranking", 'r', struct show_topology_args, ranking, "WHAT",
		    "top level: namespace, ctrl or multipath"),
		GENERIC_OPTIONS_AND(OPT_COMMON(STR, "output-format", 'o', format, "FMT",
					       "normal, json or tabular"))),
	.operands = "[/dev/nvmeXnY]", .args_size = sizeof(struct show_topology_args),
	.defaults = &(const struct show_topology_args){ .ranking = "namespace" },
	.formats = OUT_TEXT | OUT_JSON | OUT_TABULAR, .max_operands = 1, .run = show_topology);
