// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme ave-discovery-log: AVE Discovery (log page 72h) */
#include <arpa/inet.h>

#include "commands.h"
#include "log-page.h"

static const struct arg ave_discovery_log_options[] = {
	LOG_PAGE_OPT_RAE,
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

#define HEAD struct nvme_ave_discover_log
#define ENTRY struct nvme_ave_discover_log_entry
#define RECORD struct nvme_ave_tr_record
#define ADRFAM_IPV4 1
#define ADRFAM_IPV6 2

static const struct field head_fields[] = {
	FIELD(DEC, HEAD, genctr),
	FIELD(DEC, HEAD, numrec),
	FIELD(DEC, HEAD, recfmt),
	FIELD(DEC, HEAD, tadlpl),
	FIELD_END,
};

static const struct field entry_fields[] = {
	FIELD(DEC, ENTRY, tel),
	FIELD(CHARS, ENTRY, avenqn),
	FIELD(DEC, ENTRY, numatr),
	FIELD_END,
};

static const struct field record_fields[] = {
	FIELD(DEC, RECORD, aveadrfam),
	FIELD(DEC, RECORD, avetrsvcid),
	FIELD_END,
};

static uint64_t ave_discovery_length(const void *head, const struct log_page_args *args)
{
	return field_get_le((const unsigned char *)head + offsetof(HEAD, tadlpl), 4);
}

static void show_record(struct out *out, const unsigned char *at)
{
	const unsigned char *address = at + offsetof(RECORD, avetraddr);
	int family = at[0] == ADRFAM_IPV4 ? AF_INET : AF_INET6;
	char text[INET6_ADDRSTRLEN];

	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_fields(out, record_fields, NULL, at);
	if (at[0] == ADRFAM_IPV4 || at[0] == ADRFAM_IPV6)
		out_str(out, "avetraddr", inet_ntop(family, address, text, sizeof(text)));
	else
		out_unknown(out, "avetraddr");
	out_end(out);
}

static void show_records(struct out *out, const unsigned char *at)
{
	unsigned int n = at[offsetof(ENTRY, numatr)];

	out_array(out, "atr");
	for (unsigned int i = 0; i < n; i++) {
		out_text(out, "transport record %u\n", i);
		show_record(out, at + sizeof(ENTRY) + i * sizeof(RECORD));
	}
	out_end(out);
}

static uint64_t entry_length(const unsigned char *at)
{
	return sizeof(ENTRY) + at[offsetof(ENTRY, numatr)] * sizeof(RECORD);
}

static const struct log_entries entries = {
	.key = "aves",
	.element = "entry",
	.label = "ave entry",
	.fields = entry_fields,
	.offset = sizeof(HEAD),
	.size = sizeof(ENTRY),
	.length_at = offsetof(ENTRY, tel),
	.needs = entry_length,
	.show = show_records,
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

static const struct log_page ave_discovery_log_page = {
	.lid = NVME_LOG_LID_AVE_DISCOVER,
	.size = sizeof(HEAD),
	.what = "ave discovery log",
	.resume = true,
	.length = ave_discovery_length,
	.show_bytes = show_entries,
};

const struct command_spec ave_discovery_log_command =
	LOG_PAGE_COMMAND("ave-discovery-log", "Show the AVE Discovery log",
			 ave_discovery_log_options, ave_discovery_log_page);
