// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme host-discovery-log: Host Discovery (log page 71h) */
#include "commands.h"
#include "log-page.h"

static const struct arg host_discovery_log_options[] = {
	OPT_FLAG("all-host-entries", 'a', struct log_page_args, lsp_bit,
		 "include all hosts, not only those visible to this one"),
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

static const struct log_entries entries = {
	.key = "hosts",
	.element = "entry",
	.label = "host entry",
	.fields = entry_fields,
	.offset = sizeof(HEAD),
	.size = sizeof(ENTRY),
	.length_at = offsetof(ENTRY, tel),
};

static int show_entries(struct command *cmd, const struct device *dev, const struct log_bytes *log,
			bool explain)
{
	struct out *out = cmd->out;

	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_fields(out, head_fields, NULL, log->at);
	if (log_page_entries(cmd, &entries, log, field_get_le(log->at + offsetof(HEAD, numrec), 8)))
		return 1;
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
