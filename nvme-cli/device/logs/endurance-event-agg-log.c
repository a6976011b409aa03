// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme endurance-event-agg-log, pred-lat-event-agg-log: Event Aggregate (log pages 0Fh and 0Bh) */
#include "log-page.h"

static const struct arg event_options[] = {
	OPT(UINT, "log-entries", 'e', struct log_page_args, entries, "N", "entries to read"),
	LOG_PAGE_OPT_RAE,
	LOG_PAGE_OPT_RAW,
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

#define HEADER sizeof(uint64_t) /* number of entries; the entries of two bytes follow */

/* Limit *@n to the highest endurance group or NVM set identifier: there cannot be more entries. */
static int read_limit(struct command *cmd, uint64_t *n)
{
	const struct log_page *page = cmd->spec->row;
	struct nvme_id_ctrl id = { 0 };
	uint16_t limit;
	int ret;

	ret = nvme_identify_ctrl(cmd->device->fd, &id);
	if (ret)
		return device_result(cmd, ret, "identify controller");
	limit = page->lid == NVME_LOG_LID_ENDURANCE_GRP_EVT ? id.endgidmax : id.nsetidmax;
	if (*n > le16toh(limit))
		*n = le16toh(limit);
	return 0;
}

static void show_events(struct command *cmd, const struct log_bytes *log, uint64_t n)
{
	const struct log_page *page = cmd->spec->row;
	uint64_t available = field_get_le(log->at, HEADER);
	struct out *out = cmd->out;

	out_text(out, "%s%s\nNumber of Entries Available: %" PRIu64 "\n", page->title,
		 out_safe(out, cmd->device->name), available);
	out_object(out, NULL);
	out_uint(out, "num_entries_avail", available);
	out_array(out, "list_of_entries");
	for (uint64_t i = 0; i < n && i < available; i++) {
		uint64_t entry = field_get_le(log->at + HEADER + 2 * i, 2);

		out_text(out, "Entry[%" PRIu64 "]: %" PRIu64 "\n", i + 1, entry);
		out_uint_object(out, "entry", entry);
	}
	out_ends(out, 2);
}

static int event_log(struct command *cmd)
{
	const struct log_page *page = cmd->spec->row;
	const struct log_page_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(free) unsigned char *log = NULL;
	uint64_t n = args->entries;
	size_t size;
	int ret;

	if (!n)
		return command_fail(cmd, 0, "non-zero log-entries is required param");
	if (device_open(cmd, &dev) || read_limit(cmd, &n))
		return 1;
	size = (HEADER + 2 * n + 3) & ~(size_t)3;
	log = calloc(1, size);
	if (!log)
		return command_fail(cmd, ENOMEM, "%s", page->what);
	ret = log_page_read(cmd, page->lid, 0, log, (uint32_t)size);
	if (ret)
		return device_result(cmd, ret, page->what);
	if (command_writes_bytes(cmd))
		return bytes_write(cmd, log, HEADER + 2 * n);
	show_events(cmd, &(const struct log_bytes){ log, size }, n);
	return 0;
}

LOG_PAGE_COMMAND(endurance_event_agg_log_command, "endurance-event-agg-log",
		 "Show the Endurance Group Event Aggregate log", event_options,
		 LOG_ARGS(.entries = 2044), event_log, .lid = NVME_LOG_LID_ENDURANCE_GRP_EVT,
		 .what = "endurance group event aggregate log",
		 .title = "Endurance Group Event Aggregate Log for device: ");

LOG_PAGE_COMMAND(pred_lat_event_agg_log_command, "pred-lat-event-agg-log",
		 "Show the Predictable Latency Event Aggregate log", event_options,
		 LOG_ARGS(.entries = 2044), event_log, .lid = NVME_LOG_LID_PREDICTABLE_LAT_AGG,
		 .what = "predictable latency event aggregate log",
		 .title = "Predictable Latency Event Aggregate Log for device: ");
