// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme endurance-log: Endurance Group Information (log page 09h) */
#include "log-page.h"

#define GROUP(kind, member) FIELD(kind, struct nvme_endurance_group_log, member)

LOG_PAGE_COMMAND(
	endurance_log_command, "endurance-log", "Show the Endurance Group Information log",
	BINARY(OPT(SHORT, "group-id", 'g', struct log_page_args, lsi, "N", "endurance group")),
	LOG_ARGS(.nsid = NVME_NSID_NONE), log_page_run, .lid = NVME_LOG_LID_ENDURANCE_GROUP,
	.size = sizeof(struct nvme_endurance_group_log), .what = "endurance log",
	.title = "Endurance Group Log for NVME device:", .title_lsi = " Group ID:", .hex_lsi = true,
	.width = 24,
	.fields = FIELDS(GROUP(DEC, critical_warning), GROUP(DEC, endurance_group_features),
			 GROUP(DEC, avl_spare), GROUP(DEC, avl_spare_threshold),
			 GROUP(PERCENT, percent_used), GROUP(DEC, domain_identifier),
			 GROUP(DEC, endurance_estimate), GROUP(DEC, data_units_read),
			 GROUP(DEC, data_units_written), GROUP(DEC, media_units_written),
			 GROUP(DEC, host_read_cmds), GROUP(DEC, host_write_cmds),
			 GROUP(DEC, media_data_integrity_err), GROUP(DEC, num_err_info_log_entries),
			 GROUP(DEC, total_end_grp_cap), GROUP(DEC, unalloc_end_grp_cap)));
