// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme copy: NVM Command Set Specification 1.1, section 3.3.2 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "commands.h"
#include "device/request.h"

#define COPY_MAX_RANGES 256

struct copy_args {
	uint32_t nsid;
	uint64_t sdlba;
	const char *slbs, *blocks, *snsids, *sopts, *reftags, *apptags, *masks;
	bool limited_retry, fua, force;
	uint8_t prinfow, prinfor, dtype, format;
	uint64_t ilbrt;
	uint16_t lbat, lbatm, dspec;
};

static const struct arg options[] = {
	OPT(UINT, "namespace-id", 'n', struct copy_args, nsid, "N",
	    "namespace; the device's own if left out"),
	OPT(SUFFIX, "sdlba", 'd', struct copy_args, sdlba, "N", "first block to write"),
	OPT(STR, "slbs", 's', struct copy_args, slbs, "N[,N...]", "first block of each range"),
	OPT(STR, "blocks", 'b', struct copy_args, blocks, "N[,N...]",
	    "blocks of each range, less one"),
	OPT(STR, "snsids", 'N', struct copy_args, snsids, "N[,N...]",
	    "namespace of each range, for formats 2 and 3"),
	OPT(STR, "sopts", 'O', struct copy_args, sopts, "N[,N...]",
	    "options of each range, for formats 2 and 3"),
	OPT_FLAG("limited-retry", 'l', struct copy_args, limited_retry, "limit the retries"),
	OPT_FLAG("force-unit-access", 'f', struct copy_args, fua, "bypass the volatile cache"),
	OPT(BYTE, "prinfow", 'p', struct copy_args, prinfow, "N",
	    "protection action and checks of writing"),
	OPT(BYTE, "prinfor", 'P', struct copy_args, prinfor, "N",
	    "protection action and checks of reading"),
	OPT(SUFFIX, "ref-tag", 'r', struct copy_args, ilbrt, "N", "reference tag to write"),
	OPT(STR, "expected-ref-tags", 'R', struct copy_args, reftags, "N[,N...]",
	    "reference tag of each range"),
	OPT(SHORT, "app-tag", 'a', struct copy_args, lbat, "N", "application tag to write"),
	OPT(STR, "expected-app-tags", 'A', struct copy_args, apptags, "N[,N...]",
	    "application tag of each range"),
	OPT(SHORT, "app-tag-mask", 'm', struct copy_args, lbatm, "N",
	    "application tag mask of writing"),
	OPT(STR, "expected-app-tag-masks", 'M', struct copy_args, masks, "N[,N...]",
	    "application tag mask of each range"),
	OPT(BYTE, "dir-type", 'T', struct copy_args, dtype, "N", "directive type"),
	OPT(SHORT, "dir-spec", 'S', struct copy_args, dspec, "N", "directive specific value"),
	OPT(BYTE, "format", 'F', struct copy_args, format, "N",
	    "format of the ranges: 0 and 1 for this namespace, 2 and 3 for several; 1 and 3 with "
	    "64-bit tags"),
	OPT_FORCE(struct copy_args, "write even if the device is in use"),
	GENERIC_OPTIONS,
	OPT_END,
};

static const struct request_part parts[] = {
	REQUEST_BITS(10, 0, 64, struct copy_args, sdlba),
	REQUEST_BITS(12, 8, 4, struct copy_args, format),
	REQUEST_BITS(12, 12, 4, struct copy_args, prinfor),
	REQUEST_PART(12, 20, 4, struct copy_args, dtype, "directive type"),
	REQUEST_BITS(12, 26, 4, struct copy_args, prinfow),
	REQUEST_BITS(13, 16, 16, struct copy_args, dspec),
	REQUEST_BITS(15, 0, 16, struct copy_args, lbat),
	REQUEST_BITS(15, 16, 16, struct copy_args, lbatm),
	REQUEST_PART_END,
};

struct list {
	uint64_t values[COPY_MAX_RANGES];
	unsigned int n;
};

static int parse(struct command *cmd, const char *option, const char *text, uint64_t max,
		 struct list *list)
{
	int n = args_list(text, max, list->values, COPY_MAX_RANGES);

	if (n == -E2BIG)
		return command_fail(cmd, 0, "Invalid --%s: more than %d ranges", option,
				    COPY_MAX_RANGES);
	if (n < 0)
		return command_fail(
			cmd, 0,
			"invalid range: --%s '%s': use numbers up to %llu, separated by commas",
			option, text, (unsigned long long)max);
	list->n = (unsigned int)n;
	return 0;
}

struct ranges {
	struct list slbs, blocks, snsids, sopts, reftags, apptags, masks;
};

static bool has_long_tags(const struct copy_args *args)
{
	return args->format & 1;
}

static int parse_ranges(struct command *cmd, struct ranges *r)
{
	const struct copy_args *args = cmd->args;
	const uint64_t tag_max = has_long_tags(args) ? UINT64_MAX : UINT32_MAX;

	return parse(cmd, "slbs", args->slbs, UINT64_MAX, &r->slbs) ||
	       parse(cmd, "blocks", args->blocks, UINT16_MAX, &r->blocks) ||
	       parse(cmd, "snsids", args->snsids, UINT32_MAX, &r->snsids) ||
	       parse(cmd, "sopts", args->sopts, UINT16_MAX, &r->sopts) ||
	       parse(cmd, "expected-ref-tags", args->reftags, tag_max, &r->reftags) ||
	       parse(cmd, "expected-app-tags", args->apptags, UINT16_MAX, &r->apptags) ||
	       parse(cmd, "expected-app-tag-masks", args->masks, UINT16_MAX, &r->masks);
}

/*
 * Every range has a start block and a number of blocks. The other lists have one value per range,
 * or none.
 */
static int check_counts(struct command *cmd, const struct ranges *r)
{
	const struct copy_args *args = cmd->args;
	const unsigned int n = r->slbs.n;
	const struct {
		const char *option;
		unsigned int n;
	} more[] = {
		{ "snsids", r->snsids.n },
		{ "sopts", r->sopts.n },
		{ "expected-ref-tags", r->reftags.n },
		{ "expected-app-tags", r->apptags.n },
		{ "expected-app-tag-masks", r->masks.n },
	};

	if (!n || n != r->blocks.n)
		return command_fail(cmd, 0,
				    "invalid range: --slbs and --blocks take one number for each "
				    "range");
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		if (more[i].n && more[i].n != n)
			return command_fail(cmd, 0,
					    "invalid range: --%s has %u numbers for %u ranges",
					    more[i].option, more[i].n, n);
	if (args->format > 3)
		return command_fail(cmd, 0, "invalid format: %u (--format=0 to 3)", args->format);
	if (args->format < 2 && (r->snsids.n || r->sopts.n))
		return command_fail(
			cmd, 0,
			"formats 0 and 1 do not support cross-namespace copy (--snsids and --sopts "
			"require --format=2 or 3)");
	if (args->format >= 2 && !r->snsids.n)
		return command_fail(
			cmd, 0,
			"formats 2 and 3 require source namespace ids for each source range");
	return 0;
}

/* The formats differ in the position of the tags, and only some have a namespace and options. */
static void put_range(const struct copy_args *args, const struct ranges *r, unsigned int i,
		      void *data)
{
	const uint64_t tag = r->reftags.values[i];
	const bool several = args->format >= 2;

	if (has_long_tags(args)) {
		struct nvme_copy_range_f3 *range = (struct nvme_copy_range_f3 *)data + i;

		range->snsid = htole32(several ? (uint32_t)r->snsids.values[i] : 0);
		range->slba = htole64(r->slbs.values[i]);
		range->nlb = htole16((uint16_t)r->blocks.values[i]);
		range->sopt = htole16(several ? (uint16_t)r->sopts.values[i] : 0);
		for (unsigned int byte = 0; byte < 8; byte++)
			range->elbt[9 - byte] = (__u8)(tag >> (8 * byte));
		range->elbatm = htole16((uint16_t)r->masks.values[i]);
		range->elbat = htole16((uint16_t)r->apptags.values[i]);
	} else {
		struct nvme_copy_range_f2 *range = (struct nvme_copy_range_f2 *)data + i;

		range->snsid = htole32(several ? (uint32_t)r->snsids.values[i] : 0);
		range->slba = htole64(r->slbs.values[i]);
		range->nlb = htole16((uint16_t)r->blocks.values[i]);
		range->sopt = htole16(several ? (uint16_t)r->sopts.values[i] : 0);
		range->eilbrt = htole32((uint32_t)tag);
		range->elbatm = htole16((uint16_t)r->masks.values[i]);
		range->elbat = htole16((uint16_t)r->apptags.values[i]);
	}
}

static int measure_copy(struct command *cmd, __u32 *data_len)
{
	const struct copy_args *args = cmd->args;
	struct ranges r = { 0 };

	if (parse_ranges(cmd, &r) || check_counts(cmd, &r))
		return 1;
	if (!has_long_tags(args) && args->ilbrt > UINT32_MAX)
		return command_fail(cmd, 0,
				    "invalid ref-tag:%#llx (up to 32 bits; 64 with --format=1)",
				    (unsigned long long)args->ilbrt);
	*data_len = r.slbs.n * (__u32)(has_long_tags(args) ? sizeof(struct nvme_copy_range_f3)
							   : sizeof(struct nvme_copy_range_f2));
	return 0;
}

static int build_copy(struct command *cmd, const struct device *dev, struct nvme_passthru_cmd *c)
{
	const struct copy_args *args = cmd->args;
	struct ranges r = { 0 };

	if (parse_ranges(cmd, &r))
		return 1;
	for (unsigned int i = 0; i < r.slbs.n; i++)
		put_range(args, &r, i, request_data(c));
	c->cdw12 |= (r.slbs.n - 1) | (__u32)args->fua << 30 | (__u32)args->limited_retry << 31;
	c->cdw14 = (__u32)args->ilbrt;
	c->cdw3 = (__u32)(args->ilbrt >> 32);
	return 0;
}

static int answer_copy(struct command *cmd, const struct device *dev,
		       const struct nvme_passthru_cmd *c)
{
	return command_succeed_with(cmd, "NVMe Copy", 0);
}

REQUEST_COMMAND(copy_command, "copy", "Copy logical blocks within the controller", options,
		struct copy_args, .opcode = nvme_cmd_copy, .io = true, .has_nsid = REQUEST_OWN_NSID,
		.nsid = offsetof(struct copy_args, nsid), .parts = parts, .erases = IN_USE_NS,
		.force = offsetof(struct copy_args, force), .measure = measure_copy,
		.build = build_copy, .answer = answer_copy);
