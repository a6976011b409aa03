// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme list -v: three tables; in JSON one tree of hosts, subsystems, controllers and namespaces */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "list.h"

/* Appends @name to the list in *@names, "nvme0, nvme1". */
static int append(char **names, const char *name)
{
	char *longer;

	if (asprintf(&longer, "%s%s%s", *names ? *names : "", *names ? ", " : "", name) < 0)
		return -ENOMEM;
	free(*names);
	*names = longer;
	return 0;
}

static int show_subsystems(struct command *cmd)
{
	struct out *out = cmd->out;
	nvme_subsystem_t s;
	nvme_host_t h;
	nvme_ctrl_t c;

	out_table(out, NULL, "Subsystem:16", "Subsystem-NQN:96", "Controllers:16");
	out_table_rule(out);
	out_table_always(out);
	nvme_for_each_host(cmd->root, h) {
		nvme_for_each_subsystem(h, s) {
			_cleanup_(free) char *names = NULL;

			nvme_subsystem_for_each_ctrl(s, c)
				if (nvme_ctrl_get_name(c) && append(&names, nvme_ctrl_get_name(c)))
					return command_fail(cmd, ENOMEM, "list");
			if (!names)
				continue;
			out_row(out);
			out_str(out, NULL, nvme_subsystem_get_name(s));
			out_str(out, NULL, nvme_subsystem_get_nqn(s));
			out_str(out, NULL, names);
		}
	}
	return out_end(out);
}

/* The namespaces that a controller leads to, its own or through paths. */
static int namespaces_of(nvme_ctrl_t c, char **names)
{
	nvme_path_t p;
	nvme_ns_t n;

	nvme_ctrl_for_each_ns(c, n)
		if (append(names, nvme_ns_get_name(n)))
			return -ENOMEM;
	nvme_ctrl_for_each_path(c, p) {
		n = nvme_path_get_ns(p);
		if (n && append(names, nvme_ns_get_name(n)))
			return -ENOMEM;
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(nvme_ctrl_get_name(*(const nvme_ctrl_t *)a),
			  nvme_ctrl_get_name(*(const nvme_ctrl_t *)b));
}

/* All controllers in the order of their names, with NULL at the end; NULL without memory. */
static nvme_ctrl_t *controllers_by_name(struct command *cmd)
{
	size_t n = 0, allocated = 64;
	nvme_ctrl_t *ctrls = calloc(allocated, sizeof(*ctrls)), *more, c;
	nvme_subsystem_t s;
	nvme_host_t h;

	nvme_for_each_host(cmd->root, h) {
		nvme_for_each_subsystem(h, s) {
			nvme_subsystem_for_each_ctrl(s, c) {
				if (!ctrls || !nvme_ctrl_get_name(c))
					continue;
				ctrls[n++] = c;
				if (n < allocated)
					continue;
				allocated *= 2;
				more = reallocarray(ctrls, allocated, sizeof(*ctrls));
				if (!more)
					free(ctrls);
				ctrls = more;
			}
		}
	}
	if (!ctrls)
		return NULL;
	ctrls[n] = NULL;
	qsort(ctrls, n, sizeof(*ctrls), by_name);
	return ctrls;
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
	_cleanup_(free) nvme_ctrl_t *ctrls = controllers_by_name(cmd);
	struct out *out = cmd->out;

	if (!ctrls)
		return command_fail(cmd, ENOMEM, "list");
	out_text(out, "\n");
	out_table(out, NULL, "Device:16", "Cntlid:6", "SN:20", "MN:40", "FR:8", "TxPort:6",
		  "Address:14", "Slot:6", "Subsystem:12", "Namespaces:16");
	out_table_rule(out);
	out_table_always(out);
	for (nvme_ctrl_t *c = ctrls; *c; c++) {
		_cleanup_(free) char *names = NULL;

		if (namespaces_of(*c, &names))
			return command_fail(cmd, ENOMEM, "list");
		show_controller(out, *c, names);
	}
	return out_end(out);
}

/* The controllers through which a namespace is reached. */
static int controllers_of(nvme_ns_t n, char **names)
{
	nvme_ctrl_t c = nvme_ns_get_ctrl(n);
	nvme_path_t p;

	if (c)
		return append(names, nvme_ctrl_get_name(c));
	nvme_namespace_for_each_path(n, p) {
		c = nvme_path_get_ctrl(p);
		if (c && nvme_ctrl_get_name(c) && append(names, nvme_ctrl_get_name(c)))
			return -ENOMEM;
	}
	return 0;
}

static int show_namespaces(struct command *cmd)
{
	_cleanup_(list_ns_free) struct ns_list list = { 0 };
	struct out *out = cmd->out;
	nvme_host_t h;

	nvme_for_each_host(cmd->root, h)
		if (list_ns_host(&list, h))
			return command_fail(cmd, ENOMEM, "list");
	list_ns_sort(&list);
	out_text(out, "\n");
	out_table(out, NULL, "Device:17", "Generic:17", "NSID:10", "Usage:26", "Format:16",
		  "Controllers:16");
	out_table_rule(out);
	out_table_always(out);
	for (size_t i = 0; i < list.n; i++) {
		struct ns_facts facts = list_ns_facts(list.ns[i]);
		_cleanup_(free) char *names = NULL, *usage = NULL;

		if (controllers_of(list.ns[i], &names))
			return command_fail(cmd, ENOMEM, "list");
		if (asprintf(&usage, "%s %s", facts.usage, facts.usage_binary) < 0) {
			usage = NULL;
			return command_fail(cmd, ENOMEM, "list");
		}
		out_row(out);
		out_str(out, NULL, facts.node);
		out_str(out, NULL, facts.generic);
		out_hex(out, NULL, (uint64_t)nvme_ns_get_nsid(list.ns[i]), 1);
		out_str(out, NULL, usage);
		out_str(out, NULL, facts.format);
		out_str(out, NULL, names);
	}
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

/* @layout 2 has the paths below their namespaces. */
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

/* A namespace of layout 2, which has all that its paths lead through. */
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
	out_end(out);
	out_end(out);
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

/* Layout 2: controllers where no namespace is the subsystem's. */
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
		out_end(out);
		out_end(out);
	}
	out_end(out);
	return out_end(out);
}

int list_verbose(struct command *cmd)
{
	if (out_is_json(cmd->out))
		return list_tree(cmd);
	return show_subsystems(cmd) || show_controllers(cmd) || show_namespaces(cmd);
}
