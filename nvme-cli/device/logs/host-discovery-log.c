// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme host-discovery-log: Host Discovery (log page 71h) */
#include <inttypes.h>
#include <string.h>

#include "commands.h"
#include "log-page.h"

static const struct arg host_discovery_log_options[] = {
	OPT_FLAG("all-host-entries", 'a', struct log_page_args, lsp_bit,
		 "of all hosts, not only of those that this one may see"),
	LOG_PAGE_OPT_RAE,
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

#define HEAD struct nvme_host_discover_log
#define ENTRY struct nvme_host_ext_discover_log

static const struct field head_fields[] = {
	FIELD(DEC, HEAD, genctr),     FIELD(DEC, HEAD, numrec), FIELD(DEC, HEAD, recfmt),
	FIELD(HEX_BYTE, HEAD, hdlpf), FIELD(DEC, HEAD, thdlpl), FIELD_END,
};

static const struct field entry_fields[] = {
	FIELD(DEC, ENTRY, trtype),   FIELD(DEC, ENTRY, adrfam),
	FIELD(DEC, ENTRY, eflags),   FIELD(CHARS, ENTRY, hostnqn),
	FIELD(CHARS, ENTRY, traddr), FIELD(DEC, ENTRY, tel),
	FIELD(DEC, ENTRY, numexat),  FIELD_END,
};

static uint64_t host_discovery_length(const void *head, const struct log_page_args *args)
{
	return field_get_le((const unsigned char *)head + offsetof(HEAD, thdlpl), 4);
}

/* Where the entry behind the one at @offset begins, or 0 if this one is cut off. */
static uint64_t next_entry(const struct log_bytes *log, uint64_t offset)
{
	uint64_t length;

	if (!log_page_holds(log, offset, 1, sizeof(ENTRY)))
		return 0;
	length = field_get_le(log->at + offset + offsetof(ENTRY, tel), 4);
	return length >= sizeof(ENTRY) && log_page_holds(log, offset, length, 1) ? offset + length
										 : 0;
}

static int show_entries(struct command *cmd, const struct device *dev, const struct log_bytes *log,
			bool explain)
{
	uint64_t n = field_get_le(log->at + offsetof(HEAD, numrec), 8), offset = sizeof(HEAD), next;
	struct out *out = cmd->out;

	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_fields(out, head_fields, NULL, log->at);
	out_array(out, "hosts");
	for (uint64_t i = 0; i < n; i++, offset = next) {
		next = next_entry(log, offset);
		if (!next)
			return log_page_ends(cmd, "entry", i, n, log);
		out_text(out, "host entry %" PRIu64 "\n", i);
		out_listing(out, NULL, OUT_PAD_COLON, 0);
		out_fields(out, entry_fields, NULL, log->at + offset);
		out_end(out);
	}
	out_end(out);
	return out_end(out);
}

static const struct log_page host_discovery_log_page = {
	.lid = NVME_LOG_LID_HOST_DISCOVER,
	.size = sizeof(HEAD),
	.what = "host discovery log",
	.resume = true,
	.length = host_discovery_length,
	.show_bytes = show_entries,
};

const struct command_spec host_discovery_log_command =
	LOG_PAGE_COMMAND("host-discovery-log", "Show the Host Discovery log",
			 host_discovery_log_options, host_discovery_log_page);
