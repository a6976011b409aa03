// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme media-unit-stat-log: Media Unit Status (log page 10h) */
#include "commands.h"
#include "log-page.h"

static const struct arg media_unit_stat_log_options[] = {
	OPT(SHORT, "domain-id", 'd', struct log_page_args, lsi, "N", "domain"),
	LOG_PAGE_OPT_RAW,
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

#define HEAD struct nvme_media_unit_stat_log
#define UNIT struct nvme_media_unit_stat_desc

static const struct field head_fields[] = {
	FIELD_LABELLED(DEC, HEAD, nmu, "nmu", "Number of Media Unit Status Descriptors"),
	FIELD_LABELLED(DEC, HEAD, cchans, "cchans", "Number of Channels"),
	FIELD_LABELLED(DEC, HEAD, sel_config, "sel_config", "Selected Configuration"),
	FIELD_END,
};

static const struct field unit_fields[] = {
	FIELD_LABELLED(DEC, UNIT, muid, "muid", "Media Unit Identifier"),
	FIELD_LABELLED(DEC, UNIT, domainid, "domainid", "Domain Identifier"),
	FIELD_LABELLED(DEC, UNIT, endgid, "endgid", "Endurance Group Identifier"),
	FIELD_LABELLED(DEC, UNIT, nvmsetid, "nvmsetid", "NVM Set Identifier"),
	FIELD_LABELLED(DEC, UNIT, cap_adj_fctr, "cap_adj_fctr", "Capacity Adjustment Factor"),
	FIELD_LABELLED(DEC, UNIT, avl_spare, "avl_spare", "Available Spare"),
	FIELD_LABELLED(DEC, UNIT, percent_used, "percent_used", "Percentage Used"),
	FIELD_LABELLED(DEC, UNIT, mucs, "mucs", "Number of Channels"),
	FIELD_LABELLED(DEC, UNIT, cio, "cio", "Channel Identifiers Offset"),
	FIELD_END,
};

static const struct log_list units = {
	.key = "mus_list",
	.element = "media unit",
	.label = "Media Unit Status Descriptor",
	.fields = unit_fields,
	.offset = sizeof(HEAD),
	.size = sizeof(UNIT),
};

static uint64_t n_units(const void *head)
{
	return field_get_le((const unsigned char *)head + offsetof(HEAD, nmu), 2);
}

static uint64_t media_unit_length(const void *head, const struct log_page_args *args)
{
	return sizeof(HEAD) + n_units(head) * sizeof(UNIT);
}

static int show_media_units(struct command *cmd, const struct device *dev,
			    const struct log_bytes *log, bool explain)
{
	out_listing(cmd->out, NULL, OUT_PAD_COLON, 0);
	out_fields(cmd->out, head_fields, NULL, log->at);
	if (log_page_list(cmd, &units, log, n_units(log->at)))
		return 1;
	return out_end(cmd->out);
}

static const struct log_page media_unit_stat_log_page = {
	.lid = NVME_LOG_LID_MEDIA_UNIT_STATUS,
	.size = sizeof(HEAD),
	.what = "media unit status log",
	.resume = true,
	.length = media_unit_length,
	.show_bytes = show_media_units,
};

const struct command_spec media_unit_stat_log_command =
	LOG_PAGE_COMMAND_AS("media-unit-stat-log", "Show the Media Unit Status log",
			    media_unit_stat_log_options, media_unit_stat_log_page,
			    .nsid = NVME_NSID_NONE);
