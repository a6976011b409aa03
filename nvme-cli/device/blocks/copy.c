// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme copy: NVM Command Set Specification 1.1, section 3.3.2 */
#include "blocks.h"

/* Options with one value per range. */
enum { SLBS, BLOCKS, SNSIDS, SOPTS, REFTAGS, APPTAGS, MASKS, LISTS };

static const struct {
	const char *option;
	uint64_t max;
} lists[LISTS] = {
	[SLBS] = { "slbs", UINT64_MAX },
	[BLOCKS] = { "blocks", UINT16_MAX },
	[SNSIDS] = { "snsids", UINT32_MAX },
	[SOPTS] = { "sopts", UINT16_MAX },
	[REFTAGS] = { "expected-ref-tags", UINT64_MAX },
	[APPTAGS] = { "expected-app-tags", UINT16_MAX },
	[MASKS] = { "expected-app-tag-masks", UINT16_MAX },
};

struct copy_args {
	uint32_t nsid;
	uint64_t sdlba;
	const char *lists[LISTS];
	bool limited_retry, fua, force;
	uint8_t prinfow, prinfor, dtype, format;
	uint64_t ilbrt;
	uint16_t lbat, lbatm, dspec;
};
#define ARGS struct copy_args

static const struct arg options[] = {
	OPT_NSID(ARGS),
	OPT(SUFFIX, "sdlba", 'd', ARGS, sdlba, "N", "first block to write"),
	OPT(STR, "slbs", 's', ARGS, lists[SLBS], "N[,N...]", "first block of each range"),
	OPT(STR, "blocks", 'b', ARGS, lists[BLOCKS], "N[,N...]", "blocks of each range, less one"),
	OPT(STR, "snsids", 'N', ARGS, lists[SNSIDS], "N[,N...]",
	    "namespace of each range, for formats 2 and 3"),
	OPT(STR, "sopts", 'O', ARGS, lists[SOPTS], "N[,N...]",
	    "options of each range, for formats 2 and 3"),
	OPT_FLAG("limited-retry", 'l', ARGS, limited_retry, "limit the retries"),
	OPT_FLAG("force-unit-access", 'f', ARGS, fua, "bypass the volatile cache"),
	OPT(BYTE, "prinfow", 'p', ARGS, prinfow, "N", "protection action and checks of writing"),
	OPT(BYTE, "prinfor", 'P', ARGS, prinfor, "N", "protection action and checks of reading"),
	OPT(SUFFIX, "ref-tag", 'r', ARGS, ilbrt, "N", "reference tag to write"),
	OPT(STR, "expected-ref-tags", 'R', ARGS, lists[REFTAGS], "N[,N...]",
	    "reference tag of each range"),
	OPT(SHORT, "app-tag", 'a', ARGS, lbat, "N", "application tag to write"),
	OPT(STR, "expected-app-tags", 'A', ARGS, lists[APPTAGS], "N[,N...]",
	    "application tag of each range"),
	OPT(SHORT, "app-tag-mask", 'm', ARGS, lbatm, "N", "application tag mask of writing"),
	OPT(STR, "expected-app-tag-masks", 'M', ARGS, lists[MASKS], "N[,N...]",
	    "application tag mask of each range"),
	OPT(BYTE, "dir-type", 'T', ARGS, dtype, "N", "directive type"),
	OPT(SHORT, "dir-spec", 'S', ARGS, dspec, "N", "directive specific value"),
	OPT(BYTE, "format", 'F', ARGS, format, "N",
	    "format of the ranges: 0 and 1 for this namespace, 2 and 3 for several; 1 and 3 with "
	    "64-bit tags"),
	OPT_FORCE(ARGS, "write even if the device is in use"),
	GENERIC_OPTIONS,
	OPT_END,
};

struct ranges {
	uint64_t values[LISTS][BLOCKS_MAX_RANGES];
	unsigned int n[LISTS];
};

static bool has_long_tags(const struct copy_args *args)
{
	return args->format & 1;
}

static int parse_ranges(struct command *cmd, struct ranges *r)
{
	const struct copy_args *args = cmd->args;

	for (int i = 0; i < LISTS; i++) {
		const bool is_short = i == REFTAGS && !has_long_tags(args);
		const int n =
			request_parse_ranges(cmd, "invalid range: ", lists[i].option,
					     args->lists[i], is_short ? UINT32_MAX : lists[i].max,
					     r->values[i]);

		if (n < 0)
			return 1;
		r->n[i] = (unsigned int)n;
	}
	return 0;
}

/* Each range has a start and a number of blocks; other lists have one value per range, or none. */
static int check_counts(struct command *cmd, const struct ranges *r)
{
	const struct copy_args *args = cmd->args;
	const unsigned int n = r->n[SLBS];

	if (!n || n != r->n[BLOCKS])
		return command_fail(cmd, 0,
				    "invalid range: --slbs and --blocks take one number for each "
				    "range");
	for (int i = SNSIDS; i < LISTS; i++)
		if (r->n[i] && r->n[i] != n)
			return command_fail(cmd, 0,
					    "invalid range: --%s has %u numbers for %u ranges",
					    lists[i].option, r->n[i], n);
	if (args->format > 3)
		return command_fail(cmd, 0, "invalid format: %u (--format=0 to 3)", args->format);
	if (args->format < 2 && (r->n[SNSIDS] || r->n[SOPTS]))
		return command_fail(
			cmd, 0,
			"formats 0 and 1 do not support cross-namespace copy (--snsids and --sopts "
			"require --format=2 or 3)");
	if (args->format >= 2 && !r->n[SNSIDS])
		return command_fail(
			cmd, 0,
			"formats 2 and 3 require source namespace ids for each source range");
	return 0;
}

static size_t range_size(const struct copy_args *args)
{
	return has_long_tags(args) ? sizeof(struct nvme_copy_range_f3)
				   : sizeof(struct nvme_copy_range_f2);
}

/* Formats 0 and 1 have no namespace and no options: these lists are empty there. */
static void put_short_range(const struct ranges *r, unsigned int i, struct nvme_copy_range_f2 *to)
{
	to->snsid = htole32((uint32_t)r->values[SNSIDS][i]);
	to->slba = htole64(r->values[SLBS][i]);
	to->nlb = htole16((uint16_t)r->values[BLOCKS][i]);
	to->sopt = htole16((uint16_t)r->values[SOPTS][i]);
	to->eilbrt = htole32((uint32_t)r->values[REFTAGS][i]);
	to->elbat = htole16((uint16_t)r->values[APPTAGS][i]);
	to->elbatm = htole16((uint16_t)r->values[MASKS][i]);
}

static void put_long_range(const struct ranges *r, unsigned int i, struct nvme_copy_range_f3 *to)
{
	to->snsid = htole32((uint32_t)r->values[SNSIDS][i]);
	to->slba = htole64(r->values[SLBS][i]);
	to->nlb = htole16((uint16_t)r->values[BLOCKS][i]);
	to->sopt = htole16((uint16_t)r->values[SOPTS][i]);
	for (unsigned int byte = 0; byte < 8; byte++)
		to->elbt[9 - byte] = (__u8)(r->values[REFTAGS][i] >> (8 * byte));
	to->elbat = htole16((uint16_t)r->values[APPTAGS][i]);
	to->elbatm = htole16((uint16_t)r->values[MASKS][i]);
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
	*data_len = r.n[SLBS] * (__u32)range_size(args);
	return 0;
}

static int build_copy(struct command *cmd, struct nvme_passthru_cmd *c)
{
	const struct copy_args *args = cmd->args;
	struct ranges r = { 0 };

	if (parse_ranges(cmd, &r))
		return 1;
	for (unsigned int i = 0; i < r.n[SLBS]; i++)
		if (has_long_tags(args))
			put_long_range(&r, i, (struct nvme_copy_range_f3 *)request_data(c) + i);
		else
			put_short_range(&r, i, (struct nvme_copy_range_f2 *)request_data(c) + i);
	c->cdw12 |= (r.n[SLBS] - 1) | (__u32)args->fua << 30 | (__u32)args->limited_retry << 31;
	c->cdw14 = (__u32)args->ilbrt;
	c->cdw3 = (__u32)(args->ilbrt >> 32);
	return 0;
}

static int answer_copy(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	return command_succeed_with(cmd, "NVMe Copy", 0);
}

REQUEST_COMMAND(copy_command, "copy", "Copy logical blocks within the controller", options, ARGS,
		.opcode = nvme_cmd_copy, .io = true, REQUEST_NSID(OWN, ARGS),
		.parts = REQUEST_PARTS(REQUEST_BITS(10, 0, 64, ARGS, sdlba),
				       REQUEST_BITS(12, 8, 4, ARGS, format),
				       REQUEST_BITS(12, 12, 4, ARGS, prinfor),
				       REQUEST_PART(12, 20, 4, ARGS, dtype, "directive type"),
				       REQUEST_BITS(12, 26, 4, ARGS, prinfow),
				       REQUEST_BITS(13, 16, 16, ARGS, dspec),
				       REQUEST_BITS(15, 0, 16, ARGS, lbat),
				       REQUEST_BITS(15, 16, 16, ARGS, lbatm)),
		REQUEST_ERASES(NS, ARGS), .measure = measure_copy, .build = build_copy,
		.answer = answer_copy);
