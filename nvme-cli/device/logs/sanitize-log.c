// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme sanitize-log: Sanitize Status (log page 81h) */
#include "log-page.h"

static const char *const operations[] = {
	"NVM Subsystem has never been sanitized.",
	"Most Recent Sanitize Command Completed Successfully.",
	"Sanitize in Progress.",
	"Most Recent Sanitize Command Failed.",
	"Most Recent Sanitize Command (No-Deallocate After Sanitize) Completed Successfully.",
	"Unknown",
	NULL,
};

static const char *const *const states =
	WORDS("Idle state", "Restricted Processing State", "Restricted Failure State",
	      "Unrestricted Processing State", "Unrestricted Failure State",
	      "Media Verification State", "Post-Verification Deallocation State", "Reserved");

#define SANITIZE(kind, member, name, label) \
	FIELD_LABELLED(kind, struct nvme_sanitize_log_page, member, name, label)

static const struct field estimates[] = {
	SANITIZE(HEX, scdw10, "cdw10_info", "Sanitize Command Dword 10 Information (SCDW10)"),
	SANITIZE(SECONDS, eto, "time_over_write", "Estimated Time For Overwrite"),
	SANITIZE(SECONDS, etbe, "time_block_erase", "Estimated Time For Block Erase"),
	SANITIZE(SECONDS, etce, "time_crypto_erase", "Estimated Time For Crypto Erase"),
	SANITIZE(SECONDS, etond, "time_over_write_no_dealloc",
		 "Estimated Time For Overwrite (No-Deallocate)"),
	SANITIZE(SECONDS, etbend, "time_block_erase_no_dealloc",
		 "Estimated Time For Block Erase (No-Deallocate)"),
	SANITIZE(SECONDS, etcend, "time_crypto_erase_no_dealloc",
		 "Estimated Time For Crypto Erase (No-Deallocate)"),
	SANITIZE(SECONDS, etpvds, "time_post_verification_dealloc",
		 "Estimated Time For Post-Verification Deallocation"),
	FIELD_END,
};

/* Print a state in JSON, e.g. "(2) Sanitize in Progress." */
static void out_state(struct out *out, const char *key, unsigned int value, const char *name)
{
	char text[128];

	snprintf(text, sizeof(text), "(%u) %s", value, name);
	out_str(out_json_only(out), key, text);
}

static void show_status(struct out *out, unsigned int status, bool explain)
{
	unsigned int operation = NVME_GET(status, SANITIZE_SSTAT_STATUS);
	unsigned int passes = NVME_GET(status, SANITIZE_SSTAT_COMPLETED_PASSES);
	unsigned int erased = NVME_GET(status, SANITIZE_SSTAT_GLOBAL_DATA_ERASED);
	unsigned int cancelled = NVME_GET(status, SANITIZE_SSTAT_MVCNCLD);

	out_text_only(out);
	out_label(out, "Sanitize Status                        (SSTAT)");
	out_uint_as(out, NULL, status, "%#x", status);
	if (explain)
		out_text(out,
			 "  [2:0] : Sanitize Operation Status  : %#x\t%s\n"
			 "  [7:3] : Overwrite Passes Completed : %u\n"
			 "  [8:8] : Global Data Erased         : %#x\t%s in the NVM subsystem\n"
			 "  [9:9] : Media Verification Canceled: %#x\t%s\n\n",
			 operation, bits_word(operations, operation), passes, erased,
			 erased ? "No user data has been written in the NVM subsystem and no PMR "
				  "has been enabled"
				: "User data has been written in the NVM subsystem or PMR has been "
				  "enabled",
			 cancelled, cancelled ? "canceled" : "Not canceled");
	if (!out_is_json(out))
		return;
	out_object(out, "sstat");
	out_uint(out, "media_verification_canceled", cancelled);
	out_uint(out, "global_erased", erased);
	out_uint(out, "no_cmplted_passes", passes);
	out_state(out, "status", operation, bits_word(operations, operation));
	out_end(out);
}

/* @failed: the failure state, in which the operation failed, is valid. */
static void show_state(struct out *out, unsigned int ssi, bool failed, bool explain)
{
	unsigned int state = ssi & 0xf, failure = ssi >> 4;
	const char *name = bits_word(states, state);

	out_text_only(out);
	out_label(out, "Sanitize State Information               (SSI)");
	out_uint_as(out, NULL, ssi, "%#x", ssi);
	if (explain)
		out_text(out, "  [3:0] : Sanitize State : %#x\t%s\n", state, name);
	if (explain && failed)
		out_text(out, "  [7:4] : Failure State  : %#x\t%s\n", failure,
			 bits_word(states, failure));
	if (explain)
		out_text(out, "\n");
	if (!out_is_json(out))
		return;
	out_object(out, "sanitize_state_information");
	out_state(out, "sanitize_state", state, name);
	if (failed)
		out_state(out, "failure_state", failure, bits_word(states, failure));
	out_end(out);
}

static int show_sanitize_log(struct command *cmd, const void *data, bool explain)
{
	const struct nvme_sanitize_log_page *log = data;
	unsigned int progress = le16toh(log->sprog);
	unsigned int operation = NVME_GET(le16toh(log->sstat), SANITIZE_SSTAT_STATUS);
	struct out *out = cmd->out;

	out_object(out, NULL);
	out_listing(out, cmd->device->name, OUT_PAD_COLON, 47);
	out_label(out, "Sanitize Progress                      (SPROG)");
	if (explain && operation == NVME_SANITIZE_SSTAT_STATUS_IN_PROGESS)
		out_uint_as(out, "sprog", progress, "%u\t(%f%%)", progress,
			    progress * 100.0 / 0x10000);
	else
		out_uint(out, "sprog", progress);
	show_status(out, le16toh(log->sstat), explain);
	out_fields(out, estimates, NULL, log);
	show_state(out, log->ssi, operation == NVME_SANITIZE_SSTAT_STATUS_COMPLETED_FAILED,
		   explain);
	return out_ends(out, 2);
}

LOG_PAGE_COMMAND(sanitize_log_command, "sanitize-log", "Show the Sanitize Status log",
		 BINARY(LOG_PAGE_OPT_RAE, LOG_PAGE_OPT_HUMAN, LOG_PAGE_OPT_RAW),
		 LOG_ARGS(.nsid = NVME_NSID_ALL), log_page_run, .lid = NVME_LOG_LID_SANITIZE,
		 .size = sizeof(struct nvme_sanitize_log_page), .what = "sanitize status log",
		 .show = show_sanitize_log);
