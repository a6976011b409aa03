// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme media-unit-stat-log: Media Unit Status (log page 10h) */
#include "log-page.h"

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

LOG_PAGE_COMMAND(media_unit_stat_log_command, "media-unit-stat-log",
		 "Show the Media Unit Status log",
		 BINARY(OPT(SHORT, "domain-id", 'd', struct log_page_args, lsi, "N", "domain"),
			LOG_PAGE_OPT_RAW),
		 LOG_ARGS(.nsid = NVME_NSID_NONE), log_page_run,
		 .lid = NVME_LOG_LID_MEDIA_UNIT_STATUS, .size = sizeof(HEAD),
		 .what = "media unit status log", .resume = true, .fields = head_fields,
		 .list = &units, .count_at = offsetof(HEAD, nmu), .count_size = 2);
