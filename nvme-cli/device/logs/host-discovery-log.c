// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme host-discovery-log: Host Discovery (log page 71h) */
#include "log-page.h"

#define HEAD struct nvme_host_discover_log
#define ENTRY struct nvme_host_ext_discover_log

static const struct log_entries entries = {
	.key = "hosts",
	.element = "entry",
	.label = "host entry",
	.fields = FIELDS(FIELD(DEC, ENTRY, trtype), FIELD(DEC, ENTRY, adrfam),
			 FIELD(DEC, ENTRY, eflags), FIELD(CHARS, ENTRY, hostnqn),
			 FIELD(CHARS, ENTRY, traddr), FIELD(DEC, ENTRY, tel),
			 FIELD(DEC, ENTRY, numexat)),
	.offset = sizeof(HEAD),
	.size = sizeof(ENTRY),
	.length_at = offsetof(ENTRY, tel),
};

LOG_PAGE_COMMAND(host_discovery_log_command, "host-discovery-log", "Show the Host Discovery log",
		 BINARY(OPT_FLAG("all-host-entries", 'a', struct log_page_args, lsp_bit,
				 "include all hosts, not only those visible to this one"),
			LOG_PAGE_OPT_RAE),
		 LOG_ARGS(.nsid = NVME_NSID_ALL), log_page_run, .lid = NVME_LOG_LID_HOST_DISCOVER,
		 .size = sizeof(HEAD), .what = "host discovery log", .resume = true,
		 .length_at = offsetof(HEAD, thdlpl), .length_size = 4,
		 .fields = FIELDS(FIELD(DEC, HEAD, genctr), FIELD(DEC, HEAD, numrec),
				  FIELD(DEC, HEAD, recfmt), FIELD(HEX_BYTE, HEAD, hdlpf),
				  FIELD(DEC, HEAD, thdlpl)),
		 .entries = &entries, .count_at = offsetof(HEAD, numrec), .count_size = 8);
