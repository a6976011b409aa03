// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme self-test-log: Device Self-test (log page 06h) */
#include "log-page.h"

#define CURRENT(kind, member, name, label) \
	FIELD_LABELLED(kind, struct nvme_self_test_log, member, name, label)

static const struct field *const current_fields = FIELDS(
	CURRENT(HEX, current_operation, "Current Device Self-Test Operation", "Current operation"),
	CURRENT(PERCENT, completion, "Current Device Self-Test Completion", "Current Completion"));

static const char *const results[] = {
	"Operation completed without error",
	"Operation was aborted by a Device Self-test command",
	"Operation was aborted by a Controller Level Reset",
	"Operation was aborted due to a removal of a namespace from the namespace inventory",
	"Operation was aborted due to the processing of a Format NVM command",
	"A fatal error or unknown test error occurred while the controller was executing the device "
	"self-test operation and the operation did not complete",
	"Operation completed with a segment that failed and the segment that failed is not known",
	"Operation completed with one or more failed segments and the first segment that failed is "
	"indicated in the SegmentNumber field",
	"Operation was aborted for unknown reason",
	"Operation was aborted due to a sanitize operation",
	"Reserved",
	"Entry not used (does not contain a result)",
	NULL,
};

static const struct name codes[] = {
	{ NVME_ST_CODE_SHORT, "Short device self-test operation" },
	{ NVME_ST_CODE_EXTENDED, "Extended device self-test operation" },
	{ NVME_ST_CODE_HOST_INIT, "Host-Initiated Refresh operation" },
	{ NVME_ST_CODE_VS, "Vendor specific" },
	{ 0, NULL, NULL },
};

/* Print a number with a label that differs from its key, and its meaning unless @name is NULL. */
static void out_hex_named(struct out *out, const char *key, const char *label, uint64_t value,
			  const char *name)
{
	out_label(out, label);
	out_uint_as(out, key, value, "%#" PRIx64 "%s%s", value, name ? " " : "", name ? name : "");
}

static void show_segment(struct out *out, const struct nvme_st_result *result, bool failed)
{
	if (failed)
		out_label(out, "  Segment Number");
	else
		out_json_only(out);
	out_uint_as(out, "Segment number", result->seg, "%#x", result->seg);
}

/* Print the fields that the entry marks as valid. */
static void show_diagnosis(struct out *out, const struct nvme_st_result *result, bool explain)
{
	unsigned int status = (result->sct & 7U) << 8 | result->sc;

	if (result->vdi & NVME_ST_VALID_DIAG_INFO_NSID)
		out_hex_named(out, "Namespace Identifier", "  Namespace Identifier",
			      le32toh(result->nsid), NULL);
	if (result->vdi & NVME_ST_VALID_DIAG_INFO_FLBA)
		out_hex_named(out, "Failing LBA", "  Failing LBA", le64toh(result->flba), NULL);
	if (result->vdi & NVME_ST_VALID_DIAG_INFO_SCT)
		out_hex_named(out, "Status Code Type", "  Status Code Type", result->sct, NULL);
	if (result->vdi & NVME_ST_VALID_DIAG_INFO_SC)
		out_hex_named(out, "Status Code", "  Status Code", result->sc,
			      explain ? nvme_status_to_string((int)status, false) : NULL);
	out_label(out, "  Vendor Specific");
	out_uint_as(out, "Vendor Specific", result->vs[0] | (unsigned int)result->vs[1] << 8,
		    "%#x %#x", result->vs[0], result->vs[1]);
}

static void show_result(struct out *out, const struct nvme_st_result *result, bool explain)
{
	unsigned int how = result->dsts & NVME_ST_RESULT_MASK;
	unsigned int code = result->dsts >> NVME_ST_CODE_SHIFT;
	const char *name = bits_word(results, how);

	out_listing(out, NULL, OUT_PAD_COLON, 31);
	out_hex_named(out, "Self test result", "  Operation Result", how, explain ? name : NULL);
	if (how != NVME_ST_RESULT_NOT_USED) {
		out_label(out, "  Self Test Code");
		out_uint_as(out, "Self test code", code, "%x%s%s", code, explain ? " " : "",
			    explain ? name_or(codes, code, "Reserved") : "");
		show_segment(out, result, how == NVME_ST_RESULT_KNOWN_SEG_FAIL);
		out_hex_named(out, "Valid Diagnostic Information", "  Valid Diagnostic Information",
			      result->vdi, NULL);
		out_hex_named(out, "Power on hours", "  Power on hours (POH)", le64toh(result->poh),
			      NULL);
		show_diagnosis(out, result, explain);
	}
	out_end(out);
}

static int show_self_test_log(struct command *cmd, const void *data, bool explain)
{
	const struct log_page_args *args = cmd->args;
	const struct nvme_self_test_log *log = data;
	unsigned int n = args->count;
	struct out *out = cmd->out;

	if (n > NVME_LOG_ST_MAX_RESULTS)
		n = NVME_LOG_ST_MAX_RESULTS;
	out_text(out, "Device Self Test Log for NVME device:%s\n",
		 out_safe(out, cmd->device->name));
	out_listing(out, NULL, OUT_PAD_COLON, 19);
	out_fields(out, current_fields, NULL, log);
	out_array(out, "List of Valid Reports");
	for (unsigned int i = 0; i < n; i++) {
		out_text(out, "Self Test Result[%u]:\n", i);
		show_result(out, &log->result[i], explain);
	}
	return out_ends(out, 2);
}

LOG_PAGE_COMMAND(self_test_log_command, "self-test-log", "Show the Device Self-test log",
		 BINARY(OPT(BYTE, "dst-entries", 'e', struct log_page_args, count, "N",
			    "results to show")),
		 LOG_ARGS(.nsid = NVME_NSID_ALL, .count = NVME_LOG_ST_MAX_RESULTS), log_page_run,
		 .lid = NVME_LOG_LID_DEVICE_SELF_TEST, .size = sizeof(struct nvme_self_test_log),
		 .what = "self test log", .show = show_self_test_log);
