// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme reachability-groups-log, reachability-associations-log (log pages 1Ah and 1Bh) */
#include "log-page.h"

#define GROUP struct nvme_reachability_group_desc
#define ASSOCIATION struct nvme_reachability_association_desc

/* Both pages have a change count and descriptors: an identifier, a count, that many identifiers. */
struct reachability {
	const char *count, *id, *member;
	const struct field *fields;
};

static const struct reachability by_group = {
	"nrgd", "rgid", "nsid", FIELDS(FIELD(DEC, GROUP, nnid), FIELD(DEC, GROUP, chngc))
};
static const struct reachability by_association = { "nrad", "rasid", "rgid",
						    FIELDS(FIELD(DEC, ASSOCIATION, nrid),
							   FIELD(DEC, ASSOCIATION, chngc),
							   FIELD(DEC, ASSOCIATION, rac)) };

static int show_reachability_groups_descriptor(struct log_cursor *cursor,
					       const struct reachability *what)
{
	const struct log_page_args *args = cursor->cmd->args;
	const unsigned char *at = log_cursor_take(cursor, sizeof(GROUP));
	struct out *out = cursor->cmd->out;
	uint64_t id, n;
	char key[32];

	if (!at)
		return 1;
	id = field_get_le(at, 4);
	n = args->lsp_bit ? 0 : field_get_le(at + offsetof(GROUP, nnid), 4);
	snprintf(key, sizeof(key), "%s: %" PRIu64, what->id, id);
	out_text(out, "%s\n", key);
	out_listing(out, key, OUT_PAD_COLON, 0);
	out_fields(out, what->fields, NULL, at);
	at = log_cursor_take(cursor, 4 * n);
	if (!at)
		return 1;
	for (uint64_t i = 0; i < n; i++) {
		snprintf(key, sizeof(key), "%s %" PRIu64, what->member, i);
		out_uint(out, key, field_get_le(at + 4 * i, 4));
	}
	out_end(out);
	return 0;
}

static int show_reachability(struct log_cursor *cursor, const struct reachability *what)
{
	const unsigned char *head = log_cursor_take(cursor, 16);
	struct out *out = cursor->cmd->out;
	uint64_t n;

	if (!head)
		return 1;
	n = field_get_le(head + 8, 2);
	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_uint(out, "chngc", field_get_le(head, 8));
	out_uint(out, what->count, n);
	while (n--)
		if (show_reachability_groups_descriptor(cursor, what))
			return 1;
	return out_end(out);
}

static int show_groups(struct log_cursor *cursor, bool explain)
{
	return show_reachability(cursor, &by_group);
}

static int show_associations(struct log_cursor *cursor, bool explain)
{
	return show_reachability(cursor, &by_association);
}

LOG_PAGE_COMMAND(reachability_groups_log_command, "reachability-groups-log",
		 "Show the Reachability Groups log",
		 BINARY(OPT_FLAG("groups-only", 'g', struct log_page_args, lsp_bit,
				 "groups only, without their namespaces"),
			LOG_PAGE_OPT_RAE),
		 LOG_ARGS(.nsid = NVME_NSID_ALL), log_cursor_run,
		 .lid = NVME_LOG_LID_REACHABILITY_GROUPS, .what = "reachability groups log",
		 .walk = show_groups);

LOG_PAGE_COMMAND(reachability_associations_log_command, "reachability-associations-log",
		 "Show the Reachability Associations log",
		 BINARY(OPT_FLAG("associations-only", 'a', struct log_page_args, lsp_bit,
				 "associations only, without their groups"),
			LOG_PAGE_OPT_RAE),
		 LOG_ARGS(.nsid = NVME_NSID_ALL), log_cursor_run,
		 .lid = NVME_LOG_LID_REACHABILITY_ASSOCIATIONS,
		 .what = "reachability associations log", .walk = show_associations);
