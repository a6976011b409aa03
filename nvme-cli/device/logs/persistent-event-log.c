// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme persistent-event-log: Persistent Event (log page 0Dh), its context and its header */
#include "log-page.h"

#define HEAD struct nvme_persistent_event_log
#define ENTRY struct nvme_persistent_event_entry
#define ENTRY_AHEAD 3 /* bytes of an entry that its header length excludes */
#define MAX_LOG_SIZE (UINT64_C(1) << 28)
#define NOTHING \
	"No log data can be shown with this log len at least 512 bytes is required or can be 0 to " \
	"read the complete log page after context established"

#define PEL(kind, member, name, label) FIELD_LABELLED(kind, HEAD, member, name, label)
static const struct field *const head_fields =
	FIELDS(PEL(DEC, lid, "log_id", "Log Identifier"),
	       PEL(DEC, tnev, "total_num_of_events", "Total Number of Events"),
	       PEL(DEC, tll, "total_log_len", "Total Log Length "),
	       PEL(DEC, rv, "log_revision", "Log Revision"),
	       PEL(DEC, lhl, "log_header_len", "Log Header Length"),
	       PEL(DEC, ts, "timestamp", "Timestamp"),
	       PEL(DEC, poh, "power_on_hours", "Power On Hours (POH)"),
	       PEL(DEC, pcc, "power_cycle_count", "Power Cycle Count"),
	       PEL(DEC, vid, "pci_vid", "PCI Vendor ID (VID)"),
	       PEL(DEC, ssvid, "pci_ssvid", "PCI Subsystem Vendor ID (SSVID)"),
	       PEL(CHARS, sn, "sn", "Serial Number (SN)"),
	       PEL(CHARS, mn, "mn", "Model Number (MN)"),
	       PEL(CHARS, subnqn, "subnqn", "NVM Subsystem NVMe Qualified Name (SUBNQN)"),
	       PEL(DEC, gen_number, "gen_number", "Generation Number"),
	       PEL(DEC, rci, "rci", "Reporting Context Information (RCI)"));

#define EVENT(member, name, label) FIELD_LABELLED(DEC, ENTRY, member, name, label)
static const struct field *const entry_fields =
	FIELDS(EVENT(etype_rev, "event_type_rev", "Event Type Revision"),
	       EVENT(ehl, "event_header_len", "Event Header Length"),
	       EVENT(ehai, "event_header_additional_info", "Event Header Additional Info"),
	       EVENT(cntlid, "ctrl_id", "Controller Identifier"),
	       EVENT(ets, "event_time_stamp", "Event Timestamp"),
	       EVENT(pelpid, "port_id", "Port Identifier"),
	       EVENT(vsil, "vu_info_len", "Vendor Specific Information Length"),
	       EVENT(el, "event_len", "Event Length"));

static void format_type(char *text, size_t size, unsigned int type)
{
	snprintf(text, size, "%s(0x%x)", log_event_name(type), type);
}

static void show_supported(struct out *out, const HEAD *head)
{
	out_text(out, "Supported Events Bitmap:\n");
	for (unsigned int type = 0; type < 8 * sizeof(head->seb); type++) {
		char key[16], name[64], text[80];

		if (!(head->seb[type / 8] & 1 << type % 8))
			continue;
		format_type(name, sizeof(name), type);
		snprintf(key, sizeof(key), "bitmap_%x", type);
		snprintf(text, sizeof(text), "Support %s", name);
		out_text(out, "\t%s\n", text);
		out_str(out_json_only(out), key, text);
	}
}

/* Print the event at @offset. Return the offset of the next, or 0 if this one is truncated. */
static uint64_t show_entry(struct command *cmd, const struct log_bytes *log, uint64_t offset,
			   uint64_t index)
{
	uint64_t header, vendor, length;
	struct out *out = cmd->out;
	const unsigned char *at;
	char type[64];

	if (!log_page_holds(log, offset, 1, sizeof(ENTRY)))
		return 0;
	at = log->at + offset;
	header = at[offsetof(ENTRY, ehl)] + ENTRY_AHEAD;
	vendor = field_get_le(at + offsetof(ENTRY, vsil), 2);
	length = field_get_le(at + offsetof(ENTRY, el), 2);
	if (header < sizeof(ENTRY) || vendor > length ||
	    !log_page_holds(log, offset, header + length, 1))
		return 0;
	format_type(type, sizeof(type), at[0]);
	out_text(out, "\n");
	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_uint(out_label(out, "Event Number"), "event_number", index);
	out_str(out_label(out, "Event Type"), "event_type", type);
	out_fields(out, entry_fields, NULL, at);
	log_show_event(out, cmd->device->name, at[0], at + header + vendor, length - vendor);
	out_end(out);
	return offset + header + length;
}

static int show_log(struct command *cmd, const struct log_bytes *log)
{
	const HEAD *head = (const void *)log->at;
	uint64_t n, offset = sizeof(*head), next;
	const struct log_page_args *args = cmd->args;
	struct out *out = cmd->out;

	out_text(out, "Persistent Event Log for device: %s\n", out_safe(out, cmd->device->name));
	out_text(out, "Action for Persistent Event Log: %u\n", args->lsp);
	out_listing(out, NULL, OUT_PAD_COLON, 0);
	if (log->size < sizeof(*head)) {
		out_text(out, NOTHING "\n");
		out_str(out_json_only(out), "Result", NOTHING);
		return out_end(out);
	}
	n = le32toh(head->tnev);
	out_fields(out, head_fields, NULL, head);
	show_supported(out, head);
	out_text(out, "\n\nPersistent Event Entries:\n");
	out_array(out, "list_of_event_entries");
	for (uint64_t i = 0; i < n && offset < log->size; i++, offset = next) {
		next = show_entry(cmd, log, offset, i);
		if (!next && args->length)
			break; /* --log_len ends within this event */
		if (!next)
			return log_page_ends(cmd, "event", i, n, log);
	}
	return out_ends(out, 2);
}

/* Read @size bytes, to be freed. Fail if the header has changed since @head was read. */
static unsigned char *read_log(struct command *cmd, const HEAD *head, uint64_t size)
{
	const struct log_page *page = cmd->spec->row;
	unsigned char *log = calloc(1, size ? (size + 3) & ~UINT64_C(3) : 1);
	HEAD again = { 0 };
	int ret;

	if (!log) {
		command_fail(cmd, ENOMEM, "%s", page->what);
		return NULL;
	}
	ret = size ? log_page_read(cmd, page->lid, 0, log, (uint32_t)((size + 3) & ~3U)) : 0;
	if (!ret)
		ret = log_page_read(cmd, page->lid, 0, &again, sizeof(again));
	if (ret)
		device_result(cmd, ret, page->what);
	else if (again.gen_number != head->gen_number)
		ret = command_fail(cmd, 0,
				   "Collected Persistent Event Log may be invalid, "
				   "re-read the log is required");
	if (!ret)
		return log;
	free(log);
	return NULL;
}

static int read_and_show(struct command *cmd, const HEAD *head)
{
	const struct log_page_args *args = cmd->args;
	uint64_t size = args->length ? args->length : le64toh(head->tll);
	_cleanup_(free) unsigned char *log = NULL;

	if (size > MAX_LOG_SIZE)
		return command_fail(cmd, 0,
				    "persistent event log: a length of %" PRIu64
				    " bytes exceeds the maximum of %" PRIu64,
				    size, MAX_LOG_SIZE);
	log = read_log(cmd, head, size);
	if (!log)
		return 1;
	if (command_writes_bytes(cmd))
		return bytes_write(cmd, log, size);
	return show_log(cmd, &(const struct log_bytes){ log, size });
}

static int persistent_event_log(struct command *cmd)
{
	const struct log_page *page = cmd->spec->row;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	struct log_page_args *args = cmd->args;
	HEAD head = { 0 };
	int ret;

	if (args->lsp_given && args->lsp > NVME_PEVENT_LOG_RELEASE_CTX)
		return command_fail(cmd, 0, "Invalid --action %u: use 0, 1 or 2", args->lsp);
	if (args->length && args->length < sizeof(head))
		return command_fail(cmd, 0, "Invalid --log_len %u: use 0, or at least %zu",
				    args->length, sizeof(head));
	if (!args->lsp_given)
		args->lsp = NVME_PEVENT_LOG_READ;
	if (device_open(cmd, &dev))
		return 1;
	ret = log_page_read(cmd, page->lid, 0, &head, sizeof(head));
	if (ret)
		return device_result(cmd, ret, page->what);
	if (args->lsp == NVME_PEVENT_LOG_RELEASE_CTX)
		return command_succeed(cmd, "Releasing Persistent Event Log Context");
	if (args->lsp == NVME_PEVENT_LOG_EST_CTX_AND_READ && !args->length)
		return command_succeed(cmd, "Establishing Persistent Event Log Context");
	if (args->lsp == NVME_PEVENT_LOG_EST_CTX_AND_READ)
		args->lsp = NVME_PEVENT_LOG_READ; /* it is established now */
	return read_and_show(cmd, &head);
}

LOG_PAGE_COMMAND(
	persistent_event_log_command, "persistent-event-log", "Show the Persistent Event log",
	BINARY(OPT_NOTED(BYTE, "action", 'a', struct log_page_args, lsp, lsp_given, "N",
			 "0: read, 1: establish a context and read, 2: release the context"),
	       OPT(UINT, "log_len", 'l', struct log_page_args, length, "N",
		   "bytes to read, at least 512; 0: the whole log"),
	       LOG_PAGE_OPT_RAW),
	LOG_ARGS(.nsid = NVME_NSID_ALL, .lsp = UINT8_MAX), persistent_event_log,
	.lid = NVME_LOG_LID_PERSISTENT_EVENT, .what = "persistent event log");
