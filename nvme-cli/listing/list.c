// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme list */
#include "list.h"

static void show_ns(struct out *out, nvme_ns_t n)
{
	struct ns_facts facts = list_ns_facts(n);

	out_row(out);
	if (out_is_json(out)) {
		out_int(out, "NameSpace", nvme_ns_get_nsid(n));
		out_str(out, "DevicePath", facts.node);
		out_str(out, "GenericPath", facts.generic);
		out_str(out, "Firmware", nvme_ns_get_firmware(n));
		out_str(out, "ModelNumber", nvme_ns_get_model(n));
		out_str(out, "SerialNumber", nvme_ns_get_serial(n));
		out_uint(out, "UsedBytes", facts.used);
		out_uint(out, "MaximumLBA", facts.count);
		out_uint(out, "PhysicalSize", facts.size);
		out_uint(out, "SectorSize", facts.sector);
		return;
	}
	out_str(out, NULL, facts.node);
	out_str(out, NULL, facts.generic);
	out_str(out, NULL, nvme_ns_get_serial(n));
	out_str(out, NULL, nvme_ns_get_model(n));
	out_hex(out, NULL, (unsigned int)nvme_ns_get_nsid(n), 1);
	out_str(out, NULL, facts.usage);
	out_str(out, NULL, facts.format);
	out_str(out, NULL, nvme_ns_get_firmware(n));
}

int list_some(struct command *cmd, bool (*wanted)(nvme_ns_t n), bool by_name)
{
	_cleanup_(list_named_free) struct named_list list = { 0 };
	struct out *out = cmd->out;
	nvme_host_t h;

	out_object(out, NULL);
	out_table(out, "Devices", "Node:21", "Generic:21", "SN:20", "Model:40", "Namespace:10",
		  "Usage:26", "Format:16", "FW Rev:8");
	out_table_always(out);
	nvme_for_each_host(cmd->root, h)
		if (list_ns_host(&list, h))
			return command_fail(cmd, ENOMEM, "list");
	if (by_name)
		list_named_sort(&list);
	for (size_t i = 0; i < list.n; i += by_name ? list_named_group(&list, i) : 1)
		if (!wanted || wanted(list.items[i].thing))
			show_ns(out, list.items[i].thing);
	return out_ends(out, 2);
}

static int list(struct command *cmd)
{
	if (!command_root(cmd))
		return 1;
	if (nvme_scan_topology(cmd->root, NULL, NULL) < 0)
		return command_fail_scan(cmd);
	if (cmd->common.verbose)
		return list_verbose(cmd);
	return list_some(cmd, NULL, !out_is_json(cmd->out));
}

COMMAND(list_command, "list", "List the namespaces", OPTIONS(GENERIC_OPTIONS),
	.formats = OUT_TEXT | OUT_JSON, .has_layouts = true, .run = list);
