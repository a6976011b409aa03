// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme fdp events: FDP Events (log page 23h) */
#include "device/features/feature-data.h"
#include "fdp.h"

/* Offsets in a media reallocated event: the C structure has padding that the page does not have. */
#define REALLOC_NLBAM 2
#define REALLOC_LBA 4

static void show_time(struct out *out, const struct nvme_fdp_event *event)
{
	const uint64_t ms = field_get_le(event->ts.timestamp, sizeof(event->ts.timestamp));
	char text[FEATURE_TIME_SIZE];

	feature_format_time(ms, text);
	out_text(out, "  Event Timestamp: %" PRIu64 " (%s)\n", ms, text);
	out_uint(out, "timestamp", ms);
}

static void show_moved(struct out *out, const struct nvme_fdp_event *event)
{
	const unsigned char *moved = event->type_specific;
	const uint64_t lba = field_get_le(moved + REALLOC_LBA, 8);
	const unsigned int n = (unsigned int)field_get_le(moved + REALLOC_NLBAM, 2);

	out_text(out, "  Number of LBAs Moved (NLBAM): %u\n", n);
	out_uint(out, "nlbam", n);
	if (moved[0] & NVME_FDP_EVENT_REALLOC_F_LBAV) {
		out_text(out, "  Logical Block Address (LBA): %#" PRIx64 "\n", lba);
		out_uint(out, "lba", lba);
	}
}

static void show_event(struct out *out, unsigned int index, const struct nvme_fdp_event *event)
{
	const unsigned int type = event->type, flags = event->flags;

	out_object(out, NULL);
	out_text(out, "Event[%u]\n  Event Type: %#x (%s)\n", index, type,
		 name_of(feature_fdp_events, type));
	out_uint(out, "type", type);
	out_uint(out, "fdpef", flags);
	out_uint(out, "pid", le16toh(event->pid));
	show_time(out, event);
	out_uint(out, "nsid", le32toh(event->nsid));
	if (flags & NVME_FDP_EVENT_F_PIV)
		out_text(out, "  Placement Identifier (PID): %#x\n", le16toh(event->pid));
	if (flags & NVME_FDP_EVENT_F_NSIDV)
		out_text(out, "  Namespace Identifier (NSID): %u\n", le32toh(event->nsid));
	if (type == NVME_FDP_EVENT_REALLOC)
		show_moved(out, event);
	if (flags & NVME_FDP_EVENT_F_LV) {
		out_text(out,
			 "  Reclaim Group Identifier: %u\n"
			 "  Reclaim Unit Handle Identifier %u\n",
			 le16toh(event->rgid), event->ruhid);
		out_uint(out, "rgid", le16toh(event->rgid));
		out_uint(out, "ruhid", event->ruhid);
	}
	out_text(out, "\n");
	out_end(out);
}

static int show_event_log(struct command *cmd, const struct log_bytes *log, bool explain)
{
	const struct nvme_fdp_events_log *events = (const void *)log->at;
	const uint32_t n = le32toh(events->n);
	struct out *out = cmd->out;

	out_object(out, NULL);
	out_uint(out, "n", n);
	out_array(out, "events");
	for (uint32_t i = 0; i < n; i++) {
		if (i == sizeof(events->events) / sizeof(*events->events))
			return log_page_ends(cmd, "event", i, n, log);
		show_event(out, i, &events->events[i]);
	}
	return out_ends(out, 2);
}

LOG_PAGE_COMMAND(fdp_events_command, "events", "List events of data placement",
		 BINARY(FDP_OPT_ENDURANCE_GROUP,
			OPT_FLAG("host-events", 'E', struct log_page_args, lsp_bit,
				 "events that the host caused, not the controller's"),
			LOG_PAGE_OPT_RAW),
		 LOG_ARGS(.nsid = NVME_NSID_NONE), fdp_log_run, .lid = NVME_LOG_LID_FDP_EVENTS,
		 .size = sizeof(struct nvme_fdp_events_log), .what = "fdp events log",
		 .show_bytes = show_event_log);
