// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme list */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "list.h"

static const struct arg list_options[] = {
	GENERIC_OPTIONS,
	OPT_END,
};

/* "  1.50 GB": a number below @base with the prefix that belongs to it. */
static double scale(uint64_t bytes, double base, const char *const *prefixes, const char **prefix)
{
	double value = (double)bytes;

	while (value >= base && prefixes[1]) {
		value /= base;
		prefixes++;
	}
	*prefix = *prefixes;
	return value;
}

static const char *const si[] = { "", "k", "M", "G", "T", "P", "E", NULL };
static const char *const binary[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", NULL };

struct ns_facts ns_facts(nvme_ns_t n)
{
	int lba_size = nvme_ns_get_lba_size(n), meta = nvme_ns_get_meta_size(n);
	struct ns_facts facts = {
		.sector = lba_size > 0 ? (uint64_t)lba_size : 0,
		.count = nvme_ns_get_lba_count(n),
	};
	const char *used_prefix, *size_prefix, *lba_prefix;
	double used, size, lba;

	if (__builtin_mul_overflow(facts.count, facts.sector, &facts.size))
		facts.size = UINT64_MAX;
	if (__builtin_mul_overflow(nvme_ns_get_lba_util(n), facts.sector, &facts.used))
		facts.used = UINT64_MAX;
	used = scale(facts.used, 1000, si, &used_prefix);
	size = scale(facts.size, 1000, si, &size_prefix);
	lba = scale(facts.sector, 1024, binary, &lba_prefix);
	snprintf(facts.usage, sizeof(facts.usage), "%6.2f %2sB / %6.2f %2sB", used, used_prefix,
		 size, size_prefix);
	snprintf(facts.format, sizeof(facts.format), "%3.0f %2sB + %2d B", lba, lba_prefix, meta);
	used = scale(facts.used, 1024, binary, &used_prefix);
	size = scale(facts.size, 1024, binary, &size_prefix);
	snprintf(facts.usage_binary, sizeof(facts.usage_binary), "(%6.2f %2sB / %6.2f %2sB)", used,
		 used_prefix, size, size_prefix);
	snprintf(facts.node, sizeof(facts.node), "/dev/%s", nvme_ns_get_name(n));
	snprintf(facts.generic, sizeof(facts.generic), "/dev/%s", nvme_ns_get_generic_name(n));
	return facts;
}

int ns_list_add(struct ns_list_of *list, nvme_ns_t n)
{
	if (list->n == list->allocated) {
		size_t allocated = list->allocated ? 2 * list->allocated : 64;
		nvme_ns_t *ns = reallocarray(list->ns, allocated, sizeof(*ns));

		if (!ns)
			return -ENOMEM;
		list->ns = ns;
		list->allocated = allocated;
	}
	list->ns[list->n++] = n;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(nvme_ns_get_name(*(const nvme_ns_t *)a),
			  nvme_ns_get_name(*(const nvme_ns_t *)b));
}

int ns_list_host(struct ns_list_of *list, nvme_host_t h)
{
	nvme_subsystem_t s;
	nvme_ctrl_t c;
	nvme_ns_t n;

	nvme_for_each_subsystem(h, s) {
		nvme_subsystem_for_each_ns(s, n)
			if (ns_list_add(list, n))
				return -ENOMEM;
		nvme_subsystem_for_each_ctrl(s, c)
			nvme_ctrl_for_each_ns(c, n)
				if (ns_list_add(list, n))
					return -ENOMEM;
	}
	return 0;
}

void ns_list_sort(struct ns_list_of *list)
{
	size_t kept = 0;

	if (!list->n)
		return;
	qsort(list->ns, list->n, sizeof(*list->ns), by_name);
	for (size_t i = 1; i < list->n; i++)
		if (by_name(&list->ns[kept], &list->ns[i]))
			list->ns[++kept] = list->ns[i];
	list->n = kept + 1;
}

static void text(struct out *out, const char *value)
{
	out_text_only(out);
	out_str(out, NULL, value);
}

static void show_ns(struct out *out, nvme_ns_t n)
{
	struct ns_facts facts = ns_facts(n);
	char nsid[16];

	snprintf(nsid, sizeof(nsid), "0x%x", (unsigned int)nvme_ns_get_nsid(n));
	out_row(out);
	text(out, facts.node);
	text(out, facts.generic);
	text(out, nvme_ns_get_serial(n));
	text(out, nvme_ns_get_model(n));
	text(out, nsid);
	text(out, facts.usage);
	text(out, facts.format);
	text(out, nvme_ns_get_firmware(n));
	out_json_only(out);
	out_int(out, "NameSpace", nvme_ns_get_nsid(n));
	out_json_only(out);
	out_str(out, "DevicePath", facts.node);
	out_json_only(out);
	out_str(out, "GenericPath", facts.generic);
	out_json_only(out);
	out_str(out, "Firmware", nvme_ns_get_firmware(n));
	out_json_only(out);
	out_str(out, "ModelNumber", nvme_ns_get_model(n));
	out_json_only(out);
	out_str(out, "SerialNumber", nvme_ns_get_serial(n));
	out_json_only(out);
	out_uint(out, "UsedBytes", facts.used);
	out_json_only(out);
	out_uint(out, "MaximumLBA", facts.count);
	out_json_only(out);
	out_uint(out, "PhysicalSize", facts.size);
	out_json_only(out);
	out_uint(out, "SectorSize", facts.sector);
}

/* JSON has a namespace once for each host that has it, text once. */
static int list_simple(struct command *cmd)
{
	_cleanup_(ns_list_free) struct ns_list_of list = { 0 };
	struct out *out = cmd->out;
	nvme_host_t h;

	out_object(out, NULL);
	out_table(out, "Devices", "Node:21", "Generic:21", "SN:20", "Model:40", "Namespace:10",
		  "Usage:26", "Format:16", "FW Rev:8");
	out_table_rule(out);
	out_table_always(out);
	nvme_for_each_host(cmd->root, h) {
		if (ns_list_host(&list, h))
			return command_fail(cmd, ENOMEM, "list");
		if (!out_is_json(out))
			continue;
		ns_list_sort(&list);
		for (size_t i = 0; i < list.n; i++)
			show_ns(out, list.ns[i]);
		list.n = 0;
	}
	ns_list_sort(&list);
	for (size_t i = 0; i < list.n; i++)
		show_ns(out, list.ns[i]);
	out_end(out);
	return out_end(out);
}

static int list(struct command *cmd)
{
	if (!command_root(cmd))
		return 1;
	if (nvme_scan_topology(cmd->root, NULL, NULL) < 0)
		return command_fail_scan(cmd);
	return cmd->common.verbose ? list_verbose(cmd) : list_simple(cmd);
}

const struct command_spec list_command = {
	.name = "list",
	.summary = "List the namespaces",
	.options = list_options,
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = -1,
	.run = list,
};
