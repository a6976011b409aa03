// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme fdp usage, nvme fdp stats: Reclaim Unit Handle Usage and FDP Statistics (log pages 21h, 22h) */
#include "fdp.h"

static const struct arg options[] = {
	FDP_OPT_ENDURANCE_GROUP,
	LOG_PAGE_OPT_RAW,
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

static uint64_t usage_length(const void *head, const struct log_page_args *args)
{
	const struct nvme_fdp_ruhu_log *usage = head;

	return sizeof(*usage) + le16toh(usage->nruh) * sizeof(*usage->ruhus);
}

static int show_usage(struct command *cmd, const struct log_bytes *log, bool explain)
{
	const struct nvme_fdp_ruhu_log *usage = (const void *)log->at;
	const unsigned int n = le16toh(usage->nruh);
	struct out *out = cmd->out;

	out_object(out, NULL);
	out_uint(out, "nruh", n);
	out_array(out, "ruhus");
	for (unsigned int i = 0; i < n; i++) {
		unsigned int ruha;

		if (!log_page_holds(log, sizeof(*usage), i + 1U, sizeof(*usage->ruhus)))
			return log_page_ends(cmd, "reclaim unit handle", i, n, log);
		ruha = usage->ruhus[i].ruha;
		out_text(out, "Reclaim Unit Handle %u Attributes: %#x (%s)\n", i, ruha,
			 bits_word(WORDS("Unused", "Host Specified", "Controller Specified",
					 "Unknown"),
				   ruha));
		out_uint_object(out, "ruha", ruha);
	}
	return out_ends(out, 2);
}

LOG_PAGE_COMMAND(fdp_usage_command, "usage", "Show the usage of the reclaim unit handles", options,
		 LOG_ARGS(.nsid = NVME_NSID_NONE), log_page_run, .lid = NVME_LOG_LID_FDP_RUH_USAGE,
		 .size = sizeof(struct nvme_fdp_ruhu_log),
		 .what = "fdp reclaim unit handle usage log", .length = usage_length,
		 .show_bytes = show_usage);

static const struct field stats_fields[] = {
	FIELD_LABELLED(DEC, struct nvme_fdp_stats_log, hbmw, "hbmw",
		       "Host Bytes with Metadata Written (HBMW)"),
	FIELD_LABELLED(DEC, struct nvme_fdp_stats_log, mbmw, "mbmw",
		       "Media Bytes with Metadata Written (MBMW)"),
	FIELD_LABELLED(DEC, struct nvme_fdp_stats_log, mbe, "mbe", "Media Bytes Erased (MBE)"),
	FIELD_END,
};

LOG_PAGE_COMMAND(fdp_stats_command, "stats", "Show how much was written and erased", options,
		 LOG_ARGS(.nsid = NVME_NSID_NONE), fdp_log_run, .lid = NVME_LOG_LID_FDP_STATS,
		 .size = sizeof(struct nvme_fdp_stats_log), .what = "fdp statistics log",
		 .fields = stats_fields);
