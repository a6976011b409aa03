// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme dispersed-ns-participating-nss-log (log page 17h) */
#include "log-page.h"

#define HEAD struct nvme_dispersed_ns_participating_nss_log

static const struct field *const head_fields =
	FIELDS(FIELD(DEC, HEAD, genctr), FIELD(DEC, HEAD, numpsub));

static uint64_t n_subsystems(const void *head)
{
	return field_get_le((const unsigned char *)head + offsetof(HEAD, numpsub), 8);
}

static uint64_t dispersed_ns_length(const void *head, const struct log_page_args *args)
{
	uint64_t n = n_subsystems(head);

	return n > UINT32_MAX ? UINT64_MAX : sizeof(HEAD) + n * NVME_NQN_LENGTH;
}

static int show_subsystems(struct command *cmd, const struct log_bytes *log, bool explain)
{
	struct out *out = cmd->out;

	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_fields(out, head_fields, NULL, log->at);
	for (uint64_t i = 0; log_page_holds(log, sizeof(HEAD), i + 1, NVME_NQN_LENGTH); i++) {
		char key[48], nqn[NVME_NQN_LENGTH + 1] = "";

		memcpy(nqn, log->at + sizeof(HEAD) + i * NVME_NQN_LENGTH, NVME_NQN_LENGTH);
		snprintf(key, sizeof(key), "participating_nss %u", (unsigned int)i);
		out_str(out, key, nqn);
	}
	return out_end(out);
}

LOG_PAGE_COMMAND(dispersed_ns_participating_nss_log_command, "dispersed-ns-participating-nss-log",
		 "List the NVM subsystems of a dispersed namespace",
		 BINARY(OPT(UINT, "namespace-id", 'n', struct log_page_args, nsid, "N",
			    "dispersed namespace")),
		 LOG_ARGS(.nsid = 1), log_page_run,
		 .lid = NVME_LOG_LID_DISPERSED_NS_PARTICIPATING_NSS, .size = sizeof(HEAD),
		 .what = "dispersed ns participating nss log", .resume = true,
		 .length = dispersed_ns_length, .show_bytes = show_subsystems);
