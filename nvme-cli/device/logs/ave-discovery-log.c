// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme ave-discovery-log: AVE Discovery (log page 72h) */
#include <arpa/inet.h>

#include "log-page.h"

#define HEAD struct nvme_ave_discover_log
#define ENTRY struct nvme_ave_discover_log_entry
#define RECORD struct nvme_ave_tr_record
#define ADRFAM_IPV4 1
#define ADRFAM_IPV6 2

static const struct field *const record_fields =
	FIELDS(FIELD(DEC, RECORD, aveadrfam), FIELD(DEC, RECORD, avetrsvcid));

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
	.fields = FIELDS(FIELD(DEC, ENTRY, tel), FIELD(CHARS, ENTRY, avenqn),
			 FIELD(DEC, ENTRY, numatr)),
	.offset = sizeof(HEAD),
	.size = sizeof(ENTRY),
	.length_at = offsetof(ENTRY, tel),
	.needs = entry_length,
	.show = show_records,
};

LOG_PAGE_COMMAND(ave_discovery_log_command, "ave-discovery-log", "Show the AVE Discovery log",
		 BINARY(LOG_PAGE_OPT_RAE), LOG_ARGS(.nsid = NVME_NSID_ALL), log_page_run,
		 .lid = NVME_LOG_LID_AVE_DISCOVER, .size = sizeof(HEAD),
		 .what = "ave discovery log", .resume = true, .length_at = offsetof(HEAD, tadlpl),
		 .length_size = 4,
		 .fields = FIELDS(FIELD(DEC, HEAD, genctr), FIELD(DEC, HEAD, numrec),
				  FIELD(DEC, HEAD, recfmt), FIELD(DEC, HEAD, tadlpl)),
		 .entries = &entries, .count_at = offsetof(HEAD, numrec), .count_size = 8);
