// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme list -v: three tables, or in JSON a tree of hosts, subsystems, controllers, namespaces */
#include "list.h"

/* Collect the controllers of subsystems of one name, one per host. Return 0, or -ENOMEM. */
static int controllers_of_group(const struct named *subsystems, size_t n, struct named_list *ret)
{
	nvme_ctrl_t c;

	for (size_t i = 0; i < n; i++)
		nvme_subsystem_for_each_ctrl(subsystems[i].thing, c)
			if (nvme_ctrl_get_name(c) && list_named_add(ret, nvme_ctrl_get_name(c), c))
				return -ENOMEM;
	return 0;
}

static int show_subsystem(struct out *out, const struct named *subsystems, size_t n)
{
	_cleanup_(list_named_free) struct named_list ctrls = { 0 };
	_cleanup_(free) char *names = NULL;

	if (controllers_of_group(subsystems, n, &ctrls))
		return -ENOMEM;
	names = list_named_join(&ctrls);
	if (!names)
		return -ENOMEM;
	out_row(out);
	out_str(out, NULL, subsystems->name);
	out_str(out, NULL, nvme_subsystem_get_nqn(subsystems->thing));
	out_str(out, NULL, names);
	return 0;
}

static int show_subsystems(struct command *cmd)
{
	_cleanup_(list_named_free) struct named_list list = { 0 };
	struct out *out = cmd->out;
	nvme_subsystem_t s;
	nvme_host_t h;

	nvme_for_each_host(cmd->root, h)
		nvme_for_each_subsystem(h, s)
			if (nvme_subsystem_get_name(s) &&
			    list_named_add(&list, nvme_subsystem_get_name(s), s))
				return command_fail(cmd, ENOMEM, "list");
	list_named_sort(&list);
	out_table(out, NULL, "Subsystem:16", "Subsystem-NQN:96", "Controllers:16");
	out_table_always(out);
	for (size_t i = 0; i < list.n; i += list_named_group(&list, i))
		if (show_subsystem(out, &list.items[i], list_named_group(&list, i)))
			return command_fail(cmd, ENOMEM, "list");
	return out_end(out);
}

/* Set *@names to a controller's namespaces, its own or through paths. Return 0, or -ENOMEM. */
static int namespaces_of(nvme_ctrl_t c, char **names)
{
	_cleanup_(list_named_free) struct named_list list = { 0 };
	nvme_path_t p;
	nvme_ns_t n;

	nvme_ctrl_for_each_ns(c, n)
		if (list_named_add(&list, nvme_ns_get_name(n), n))
			return -ENOMEM;
	nvme_ctrl_for_each_path(c, p) {
		n = nvme_path_get_ns(p);
		if (n && list_named_add(&list, nvme_ns_get_name(n), n))
			return -ENOMEM;
	}
	*names = list_named_join(&list);
	return *names ? 0 : -ENOMEM;
}

static int controllers_by_name(struct command *cmd, struct named_list *ret)
{
	nvme_subsystem_t s;
	nvme_ctrl_t c;
	nvme_host_t h;

	nvme_for_each_host(cmd->root, h)
		nvme_for_each_subsystem(h, s)
			nvme_subsystem_for_each_ctrl(s, c)
				if (nvme_ctrl_get_name(c) &&
				    list_named_add(ret, nvme_ctrl_get_name(c), c))
					return -ENOMEM;
	list_named_sort(ret);
	return 0;
}

static void show_controller(struct out *out, nvme_ctrl_t c, const char *namespaces)
{
	out_row(out);
	out_str(out, NULL, nvme_ctrl_get_name(c));
	out_str(out, NULL, nvme_ctrl_get_cntlid(c));
	out_str(out, NULL, nvme_ctrl_get_serial(c));
	out_str(out, NULL, nvme_ctrl_get_model(c));
	out_str(out, NULL, nvme_ctrl_get_firmware(c));
	out_str(out, NULL, nvme_ctrl_get_transport(c));
	out_str(out, NULL, nvme_ctrl_get_address(c));
	out_str(out, NULL, nvme_ctrl_get_phy_slot(c));
	out_str(out, NULL, nvme_subsystem_get_name(nvme_ctrl_get_subsystem(c)));
	out_str(out, NULL, namespaces);
}

static int show_controllers(struct command *cmd)
{
	_cleanup_(list_named_free) struct named_list list = { 0 };
	struct out *out = cmd->out;

	if (controllers_by_name(cmd, &list))
		return command_fail(cmd, ENOMEM, "list");
	out_text(out, "\n");
	out_table(out, NULL, "Device:16", "Cntlid:6", "SN:20", "MN:40", "FR:8", "TxPort:6",
		  "Address:14", "Slot:6", "Subsystem:12", "Namespaces:16");
	out_table_always(out);
	for (size_t i = 0; i < list.n; i++) {
		_cleanup_(free) char *names = NULL;

		if (namespaces_of(list.items[i].thing, &names))
			return command_fail(cmd, ENOMEM, "list");
		show_controller(out, list.items[i].thing, names);
	}
	return out_end(out);
}

static int controllers_of(nvme_ns_t n, struct named_list *ret)
{
	nvme_ctrl_t c = nvme_ns_get_ctrl(n);
	nvme_path_t p;

	if (c)
		return list_named_add(ret, nvme_ctrl_get_name(c), c);
	nvme_namespace_for_each_path(n, p) {
		c = nvme_path_get_ctrl(p);
		if (c && nvme_ctrl_get_name(c) && list_named_add(ret, nvme_ctrl_get_name(c), c))
			return -ENOMEM;
	}
	return 0;
}

/* Print one namespace. @namespaces have the same name: each host has an object for it. */
static int show_namespace(struct out *out, const struct named *namespaces, size_t n)
{
	_cleanup_(list_named_free) struct named_list ctrls = { 0 };
	struct ns_facts facts = list_ns_facts(namespaces->thing);
	_cleanup_(free) char *names = NULL;
	_cleanup_(free) char *usage = text_format("%s %s", facts.usage, facts.usage_binary);

	for (size_t i = 0; i < n; i++)
		if (controllers_of(namespaces[i].thing, &ctrls))
			return -ENOMEM;
	names = list_named_join(&ctrls);
	if (!names || !usage)
		return -ENOMEM;
	out_row(out);
	out_str(out, NULL, facts.node);
	out_str(out, NULL, facts.generic);
	out_hex(out, NULL, (uint64_t)nvme_ns_get_nsid(namespaces->thing), 1);
	out_str(out, NULL, usage);
	out_str(out, NULL, facts.format);
	out_str(out, NULL, names);
	return 0;
}

static int show_namespaces(struct command *cmd)
{
	_cleanup_(list_named_free) struct named_list list = { 0 };
	struct out *out = cmd->out;
	nvme_host_t h;

	nvme_for_each_host(cmd->root, h)
		if (list_ns_host(&list, h))
			return command_fail(cmd, ENOMEM, "list");
	list_named_sort(&list);
	out_text(out, "\n");
	out_table(out, NULL, "Device:17", "Generic:17", "NSID:10", "Usage:26", "Format:16",
		  "Controllers:16");
	out_table_always(out);
	for (size_t i = 0; i < list.n; i += list_named_group(&list, i))
		if (show_namespace(out, &list.items[i], list_named_group(&list, i)))
			return command_fail(cmd, ENOMEM, "list");
	return out_end(out);
}

static void json_namespace_facts(struct out *out, nvme_ns_t n)
{
	struct ns_facts facts = list_ns_facts(n);

	out_str(out, "NameSpace", nvme_ns_get_name(n));
	out_str(out, "Generic", nvme_ns_get_generic_name(n));
	out_int(out, "NSID", nvme_ns_get_nsid(n));
	out_uint(out, "UsedBytes", facts.used);
	out_uint(out, "MaximumLBA", facts.count);
	out_uint(out, "PhysicalSize", facts.size);
	out_uint(out, "SectorSize", facts.sector);
}

static void json_namespace(struct out *out, nvme_ns_t n)
{
	out_object(out, NULL);
	json_namespace_facts(out, n);
	out_end(out);
}

static void json_controller_facts(struct out *out, nvme_ctrl_t c)
{
	const char *slot = nvme_ctrl_get_phy_slot(c);

	out_str(out, "Controller", nvme_ctrl_get_name(c));
	out_str(out, "Cntlid", nvme_ctrl_get_cntlid(c));
	out_str(out, "SerialNumber", nvme_ctrl_get_serial(c));
	out_str(out, "ModelNumber", nvme_ctrl_get_model(c));
	out_str(out, "Firmware", nvme_ctrl_get_firmware(c));
	out_str(out, "Transport", nvme_ctrl_get_transport(c));
	out_str(out, "Address", nvme_ctrl_get_address(c));
	out_str(out, "Slot", slot ? slot : "");
}

/* Layout 2 has the paths below their namespaces. */
static void json_controller(struct out *out, nvme_ctrl_t c, int layout)
{
	nvme_path_t p;
	nvme_ns_t n;

	out_object(out, NULL);
	json_controller_facts(out, c);
	out_array(out, "Namespaces");
	nvme_ctrl_for_each_ns(c, n)
		json_namespace(out, n);
	out_end(out);
	if (layout == 1) {
		out_array(out, "Paths");
		nvme_ctrl_for_each_path(c, p) {
			out_object(out, NULL);
			out_str(out, "Path", nvme_path_get_name(p));
			out_str(out, "ANAState", nvme_path_get_ana_state(p));
			out_end(out);
		}
		out_end(out);
	}
	out_end(out);
}

static void json_controllers(struct out *out, nvme_subsystem_t s, int layout)
{
	nvme_ctrl_t c;

	out_array(out, "Controllers");
	nvme_subsystem_for_each_ctrl(s, c)
		json_controller(out, c, layout);
	out_end(out);
}

/* Print a namespace of layout 2, which contains its paths and their controllers. */
static void json_namespace_paths(struct out *out, nvme_ns_t n)
{
	nvme_path_t p;
	nvme_ctrl_t c;

	out_object(out, NULL);
	json_namespace_facts(out, n);
	out_array(out, "Paths");
	nvme_namespace_for_each_path(n, p) {
		out_object(out, NULL);
		out_str(out, "Path", nvme_path_get_name(p));
		out_str(out, "ANAState", nvme_path_get_ana_state(p));
		c = nvme_path_get_ctrl(p);
		if (c)
			json_controller_facts(out, c);
		out_end(out);
	}
	out_ends(out, 2);
}

static void json_subsystem(struct out *out, nvme_subsystem_t s)
{
	nvme_ns_t n;

	json_controllers(out, s, 1);
	out_array(out, "Namespaces");
	nvme_subsystem_for_each_ns(s, n)
		json_namespace(out, n);
	out_end(out);
}

/* Layout 2 shows controllers only if no namespace belongs to the subsystem itself. */
static void json_subsystem_2(struct out *out, nvme_subsystem_t s)
{
	nvme_ns_t n;

	if (!nvme_subsystem_first_ns(s)) {
		json_controllers(out, s, 2);
		return;
	}
	out_array(out, "Namespaces");
	nvme_subsystem_for_each_ns(s, n)
		json_namespace_paths(out, n);
	out_end(out);
}

static int list_tree(struct command *cmd)
{
	const bool second = cmd->common.format_version == 2;
	struct out *out = cmd->out;
	nvme_subsystem_t s;
	nvme_host_t h;

	out_object(out, NULL);
	out_array(out, "Devices");
	nvme_for_each_host(cmd->root, h) {
		out_object(out, NULL);
		out_str(out, "HostNQN", nvme_host_get_hostnqn(h));
		out_str(out, "HostID", nvme_host_get_hostid(h));
		out_array(out, "Subsystems");
		nvme_for_each_subsystem(h, s) {
			out_object(out, NULL);
			out_str(out, "Subsystem", nvme_subsystem_get_name(s));
			out_str(out, "SubsystemNQN", nvme_subsystem_get_nqn(s));
			if (second)
				json_subsystem_2(out, s);
			else
				json_subsystem(out, s);
			out_end(out);
		}
		out_ends(out, 2);
	}
	return out_ends(out, 2);
}

int list_verbose(struct command *cmd)
{
	if (out_is_json(cmd->out))
		return list_tree(cmd);
	return show_subsystems(cmd) || show_controllers(cmd) || show_namespaces(cmd);
}
