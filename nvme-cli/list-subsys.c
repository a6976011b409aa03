// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme list-subsys */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"

static const struct arg list_subsys_options[] = {
	OPT_FORMAT,
	OPT_VERBOSE,
	OPT_END,
};

/* How a namespace is reached through @c: its ANA state; NULL if it is not reached at all. */
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

static bool has_namespace(nvme_subsystem_t s, const char *ns_name)
{
	nvme_ctrl_t c;
	nvme_ns_t n;

	nvme_subsystem_for_each_ns(s, n)
		if (!strcmp(nvme_ns_get_name(n), ns_name))
			return true;
	nvme_subsystem_for_each_ctrl(s, c)
		nvme_ctrl_for_each_ns(c, n)
			if (!strcmp(nvme_ns_get_name(n), ns_name))
				return true;
	return false;
}

static bool is_shown(nvme_subsystem_t s, const char *ns_name)
{
	nvme_ctrl_t c;

	if (ns_name && !has_namespace(s, ns_name))
		return false;
	nvme_subsystem_for_each_ctrl(s, c)
		if (nvme_ctrl_get_name(c))
			return true;
	return false;
}

static void show_path(struct out *out, nvme_ctrl_t c, const char *ns_name)
{
	const char *address = nvme_ctrl_get_address(c);
	const char *state = nvme_ctrl_get_state(c);
	const char *ana = ns_name ? ana_state(c, ns_name) : NULL;

	out_object(out, NULL);
	out_text(out, " +- %s %s", out_safe(out, nvme_ctrl_get_name(c)),
		 out_safe(out, nvme_ctrl_get_transport(c)));
	if (address && *address)
		out_text(out, " %s", out_safe(out, address));
	out_text(out, " %s", state ? out_safe(out, state) : "unknown");
	if (ana)
		out_text(out, " %s", out_safe(out, ana));
	out_text(out, "\n");
	out_str(out, "Name", nvme_ctrl_get_name(c));
	out_str(out, "Transport", nvme_ctrl_get_transport(c));
	out_str(out, "Address", address ? address : "");
	out_str(out, "State", state);
	if (ns_name)
		out_str(out, "ANAState", ana);
	out_end(out);
}

static void property(struct out *out, int indent, const char *name, const char *value)
{
	if (value)
		out_text(out, "%*s%s=%s\n", indent, "", name, out_safe(out, value));
}

static void show_subsystem(struct command *cmd, nvme_host_t h, nvme_subsystem_t s,
			   const char *ns_name)
{
	const char *name = nvme_subsystem_get_name(s), *iopolicy = nvme_subsystem_get_iopolicy(s);
	bool verbose = cmd->common.verbose;
	struct out *out = cmd->out;
	int indent = (int)strlen(name) + 3;
	nvme_ctrl_t c;

	out_object(out, NULL);
	out_text(out, "%s - NQN=%s\n", out_safe(out, name),
		 out_safe(out, nvme_subsystem_get_nqn(s)));
	out_str(out, "Name", name);
	out_str(out, "NQN", nvme_subsystem_get_nqn(s));
	property(out, indent, "hostnqn", nvme_host_get_hostnqn(h));
	if (verbose) {
		property(out, indent, "model", nvme_subsystem_get_model(s));
		property(out, indent, "serial", nvme_subsystem_get_serial(s));
		property(out, indent, "firmware", nvme_subsystem_get_fw_rev(s));
		out_str(out, "Model", nvme_subsystem_get_model(s));
		out_str(out, "Serial", nvme_subsystem_get_serial(s));
		out_str(out, "Firmware", nvme_subsystem_get_fw_rev(s));
	}
	property(out, indent, "iopolicy", iopolicy);
	if (verbose) {
		property(out, indent, "type", nvme_subsystem_get_type(s));
		out_str(out, "IOPolicy", iopolicy);
		out_str(out, "Type", nvme_subsystem_get_type(s));
	}
	out_text(out, "\\\n");
	out_array(out, "Paths");
	nvme_subsystem_for_each_ctrl(s, c)
		if (nvme_ctrl_get_name(c))
			show_path(out, c, ns_name);
	out_end(out);
	out_end(out);
}

static void show_host(struct command *cmd, nvme_host_t h, const char *ns_name, bool *first)
{
	struct out *out = cmd->out;
	bool opened = false;
	nvme_subsystem_t s;

	nvme_for_each_subsystem(h, s) {
		if (!nvme_subsystem_get_name(s) || !is_shown(s, ns_name))
			continue;
		if (!opened) {
			out_object(out, NULL);
			out_str(out, "HostNQN", nvme_host_get_hostnqn(h));
			out_str(out, "HostID", nvme_host_get_hostid(h));
			out_array(out, "Subsystems");
			opened = true;
		}
		if (!*first)
			out_text(out, "\n");
		*first = false;
		show_subsystem(cmd, h, s, ns_name);
	}
	if (opened) {
		out_end(out);
		out_end(out);
	}
}

static int list_subsys(struct command *cmd)
{
	const char *ns_name = NULL;
	bool first = true;
	nvme_host_t h;

	if (cmd->argc) {
		int controller, namespace, end = 0;

		ns_name = cmd->argv[0];
		if (!strncmp(ns_name, "/dev/", 5))
			ns_name += 5;
		if (sscanf(ns_name, "nvme%dn%d%n", &controller, &namespace, &end) != 2 ||
		    ns_name[end])
			return fail(cmd, 0, "Invalid device name %s", cmd->argv[0]);
	}
	if (!command_root(cmd))
		return 1;
	if (!ns_name)
		nvme_root_skip_namespaces(cmd->root);
	if (nvme_scan_topology(cmd->root, NULL, NULL) < 0)
		return fail(cmd, errno, "Failed to scan topology");

	out_array(cmd->out, NULL);
	nvme_for_each_host(cmd->root, h)
		show_host(cmd, h, ns_name, &first);
	return out_end(cmd->out);
}

const struct command_spec list_subsys_command = {
	.name = "list-subsys",
	.summary = "List the subsystems with their controllers",
	.operands = "[/dev/nvmeXnY]",
	.options = list_subsys_options,
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = list_subsys,
};
