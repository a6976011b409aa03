// SPDX-License-Identifier: GPL-2.0-or-later
/* Namespaces as shown by nvme list and nvme list -v. */
#include "list.h"

/* Reduce @bytes to a number below @base and the unit prefix that goes with it. */
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

struct ns_facts list_ns_facts(nvme_ns_t n)
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

int list_ns_host(struct named_list *list, nvme_host_t h)
{
	nvme_subsystem_t s;
	nvme_ctrl_t c;
	nvme_ns_t n;

	nvme_for_each_subsystem(h, s) {
		nvme_subsystem_for_each_ns(s, n)
			if (list_named_add(list, nvme_ns_get_name(n), n))
				return -ENOMEM;
		nvme_subsystem_for_each_ctrl(s, c)
			nvme_ctrl_for_each_ns(c, n)
				if (list_named_add(list, nvme_ns_get_name(n), n))
					return -ENOMEM;
	}
	return 0;
}
