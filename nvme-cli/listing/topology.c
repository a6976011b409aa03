// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology.h"

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

static bool is_shown(nvme_subsystem_t s, const char *ns_name, bool bare)
{
	nvme_ctrl_t c;

	if (ns_name && !has_namespace(s, ns_name))
		return false;
	nvme_subsystem_for_each_ctrl(s, c)
		if (nvme_ctrl_get_name(c))
			return true;
	return bare;
}

void topology_show_ctrl(struct out *out, const char *prefix, nvme_ctrl_t c)
{
	const char *state = nvme_ctrl_get_state(c);

	topology_show_stateless(out, prefix, c);
	out_text(out, " %s", state ? out_safe(out, state) : "unknown");
	out_str(out, "State", state);
}

void topology_show_stateless(struct out *out, const char *prefix, nvme_ctrl_t c)
{
	const char *address = nvme_ctrl_get_address(c);

	out_text(out, "%s%s %s", prefix, out_safe(out, nvme_ctrl_get_name(c)),
		 out_safe(out, nvme_ctrl_get_transport(c)));
	if (address && *address)
		out_text(out, " %s", out_safe(out, address));
	out_str(out, "Name", nvme_ctrl_get_name(c));
	out_str(out, "Transport", nvme_ctrl_get_transport(c));
	out_str(out, "Address", address ? address : "");
}

static void property(struct out *out, int indent, const char *name, const char *value)
{
	if (value)
		out_text(out, "%*s%s=%s\n", indent, "", name, out_safe(out, value));
}

static void show_heading(struct command *cmd, nvme_host_t h, nvme_subsystem_t s)
{
	const char *name = nvme_subsystem_get_name(s), *iopolicy = NULL;
	bool verbose = cmd->common.verbose;
	struct out *out = cmd->out;
	int indent = (int)strlen(name) + 3;

	/* The policy is read from /sys each time, and JSON without -v does not show it. */
	if (verbose || !out_is_json(out))
		iopolicy = nvme_subsystem_get_iopolicy(s);

	out_text(out, "%s - NQN=%s\n", out_safe(out, name),
		 out_safe(out, nvme_subsystem_get_nqn(s)));
	out_str(out, "Name", name);
	out_str(out, "NQN", nvme_subsystem_get_nqn(s));
	property(out, indent, "hostnqn", nvme_host_get_hostnqn(h));
	property(out, indent, "iopolicy", iopolicy);
	if (verbose) {
		property(out, indent, "model", nvme_subsystem_get_model(s));
		property(out, indent, "serial", nvme_subsystem_get_serial(s));
		property(out, indent, "firmware", nvme_subsystem_get_fw_rev(s));
		out_str(out, "Model", nvme_subsystem_get_model(s));
		out_str(out, "Serial", nvme_subsystem_get_serial(s));
		out_str(out, "Firmware", nvme_subsystem_get_fw_rev(s));
		property(out, indent, "type", nvme_subsystem_get_type(s));
		out_str(out, "IOPolicy", iopolicy);
		out_str(out, "Type", nvme_subsystem_get_type(s));
	}
	out_text(out, out_format(out) == OUT_TABULAR ? "\n" : "\\\n");
}

static void show_host(struct command *cmd, nvme_host_t h, const char *ns_name, bool bare,
		      topology_below_t below, void *arg, bool *first)
{
	struct out *out = cmd->out;
	bool opened = false;
	nvme_subsystem_t s;

	nvme_for_each_subsystem(h, s) {
		if (!nvme_subsystem_get_name(s) || !is_shown(s, ns_name, bare))
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
		out_object(out, NULL);
		show_heading(cmd, h, s);
		below(cmd, s, arg);
		out_end(out);
	}
	if (opened)
		out_ends(out, 2);
}

int topology_show_subsystems(struct command *cmd, const char *ns_name, bool bare,
			     topology_below_t below, void *arg)
{
	bool first = true;
	nvme_host_t h;

	out_array(cmd->out, NULL);
	nvme_for_each_host(cmd->root, h)
		show_host(cmd, h, ns_name, bare, below, arg, &first);
	return out_end(cmd->out);
}

int topology_scan(struct command *cmd, bool namespaces)
{
	if (!command_root(cmd))
		return 1;
	if (!namespaces)
		nvme_root_skip_namespaces(cmd->root);
	if (nvme_scan_topology(cmd->root, NULL, NULL) < 0)
		return command_fail_scan(cmd);
	return 0;
}

const char *topology_ns_name(const char *operand)
{
	const char *name = strncmp(operand, "/dev/", 5) ? operand : operand + 5;
	int controller, namespace, end = 0;

	if (sscanf(name, "nvme%dn%d%n", &controller, &namespace, &end) != 2 || name[end])
		return NULL;
	return name;
}

int topology_ns_operand(struct command *cmd, const char **name)
{
	*name = NULL;
	if (!cmd->argc)
		return 0;
	*name = topology_ns_name(cmd->argv[0]);
	return *name ? 0 : command_fail(cmd, 0, "Invalid device name %s", cmd->argv[0]);
}
