// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme supported-cap-config-log: Supported Capacity Configuration List (log page 11h) */
#include "log-page.h"

#define HEAD struct nvme_supported_cap_config_list_log
#define CAPACITY struct nvme_capacity_config_desc
#define GROUP struct nvme_end_grp_config_desc
#define CHANNEL struct nvme_channel_config_desc
#define UNIT struct nvme_media_unit_config_desc

static const struct field channel_fields[] = {
	FIELD_LABELLED(DEC, CHANNEL, chanid, "chanid", "Channel Identifier"),
	FIELD_LABELLED(DEC, CHANNEL, chmus, "chmus", "Number of Channel Media Units"),
	FIELD_END,
};

static const struct field unit_fields[] = {
	FIELD_LABELLED(DEC, UNIT, muid, "muid", "Media Unit Identifier"),
	FIELD_LABELLED(DEC, UNIT, mudl, "mudl", "Media Unit Descriptor Length"),
	FIELD_END,
};

static const struct field head_fields[] = {
	FIELD_LABELLED(DEC, HEAD, sccn, "sccn", "Number of Supported Capacity Configurations"),
	FIELD_END,
};

/* A level of nested descriptors: @size bytes each, followed by descriptors of the next level. */
struct level {
	const char *key, *label;
	const struct field *fields;
	size_t size;
	size_t count; /* offset of the 16-bit number of descriptors of the next level */
	const struct level *next;
	bool sets; /* NVM set identifiers precede the next level */
};

static const struct level media_units = {
	"Media Descriptor", "Media Unit Descriptor", unit_fields, sizeof(UNIT), 0, NULL, false,
};

static const struct level channels = {
	"Channel Descriptor",	  "Channel Descriptor", channel_fields, sizeof(CHANNEL),
	offsetof(CHANNEL, chmus), &media_units,		false,
};

static const struct level groups = {
	"Endurance Descriptor",
	"Endurance Group Descriptor",
	FIELDS(FIELD_LABELLED(DEC, GROUP, endgid, "endgid", "Endurance Group Identifier"),
	       FIELD_LABELLED(DEC, GROUP, cap_adj_factor, "cap_adj_factor",
			      "Capacity Adjustment Factor"),
	       FIELD_LABELLED(DEC, GROUP, tegcap, "tegcap", "Total Endurance Group Capacity"),
	       FIELD_LABELLED(DEC, GROUP, segcap, "segcap", "Spare Endurance Group Capacity"),
	       FIELD_LABELLED(DEC, GROUP, end_est, "end_est", "Endurance Estimate"),
	       FIELD_LABELLED(DEC, GROUP, egsets, "egsets", "Number of NVM Sets")),
	sizeof(GROUP),
	offsetof(GROUP, egsets),
	&channels,
	true,
};

static const struct level capacities = {
	"Capacity Descriptor",
	"Capacity Configuration Descriptor",
	FIELDS(FIELD_LABELLED(DEC, CAPACITY, cap_config_id, "cap_config_id",
			      "Capacity Configuration Identifier"),
	       FIELD_LABELLED(DEC, CAPACITY, domainid, "domainid", "Domain Identifier"),
	       FIELD_LABELLED(DEC, CAPACITY, egcn, "egcn",
			      "Number of Endurance Group Configuration Descriptors")),
	sizeof(CAPACITY),
	offsetof(CAPACITY, egcn),
	&groups,
	false,
};

/* Print a group's NVM sets. *@count: their number, on return that of the channels after them. */
static int show_sets(struct log_cursor *cursor, unsigned int *count)
{
	struct out *out = cursor->cmd->out;
	unsigned int n = *count;
	const unsigned char *at = log_cursor_take(cursor, 2 * n + 2);

	if (!at)
		return 1;
	out_array(out, "nvmsetid");
	for (unsigned int i = 0; i < n; i++) {
		out_text(out, "NVM Set %u Identifier: %u\n", i,
			 (unsigned int)field_get_le(at + 2 * i, 2));
		out_uint(out_json_only(out), NULL, field_get_le(at + 2 * i, 2));
	}
	out_end(out);
	*count = (unsigned int)field_get_le(at + 2 * n, 2);
	out_uint(out_label(out, "Number of Channels"), "egchans", *count);
	return 0;
}

static int show_level(struct log_cursor *cursor, const struct level *level, unsigned int n)
{
	struct out *out = cursor->cmd->out;

	out_array(out, level->key);
	for (unsigned int i = 0; i < n; i++) {
		const unsigned char *at = log_cursor_take(cursor, level->size);
		unsigned int count;

		if (!at)
			return 1;
		out_listing(out, NULL, OUT_PAD_COLON, 0);
		out_uint(out_text_only(out), level->label, i);
		out_fields(out, level->fields, NULL, at);
		count = (unsigned int)field_get_le(at + level->count, 2);
		if (level->sets && show_sets(cursor, &count))
			return 1;
		if (level->next && show_level(cursor, level->next, count))
			return 1;
		out_end(out);
	}
	out_end(out);
	return 0;
}

static int show_capacities(struct log_cursor *cursor, bool explain)
{
	const unsigned char *head = log_cursor_take(cursor, sizeof(HEAD));
	struct out *out = cursor->cmd->out;

	if (!head)
		return 1;
	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_fields(out, head_fields, NULL, head);
	if (show_level(cursor, &capacities, head[offsetof(HEAD, sccn)]))
		return 1;
	return out_end(out);
}

LOG_PAGE_COMMAND(supported_cap_config_log_command, "supported-cap-config-log",
		 "Show the Supported Capacity Configuration List",
		 BINARY(OPT(SHORT, "domain-id", 'd', struct log_page_args, lsi, "N", "domain"),
			LOG_PAGE_OPT_RAW),
		 LOG_ARGS(.nsid = NVME_NSID_NONE), log_cursor_run,
		 .lid = NVME_LOG_LID_SUPPORTED_CAP_CONFIG_LIST,
		 .what = "supported capacity configuration list log", .walk = show_capacities);
