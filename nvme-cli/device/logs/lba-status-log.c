// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme lba-status-log: LBA Status Information (log page 0Eh) */
#include "log-page.h"

#define HEAD struct nvme_lba_status_log
#define ELEMENT struct nvme_lbas_ns_element
#define RANGE struct nvme_lba_rd
#define ALL_BLOCKS UINT32_MAX

static const struct field *const head_fields = FIELDS(
	FIELD_LABELLED(DEC, HEAD, lslplen, "lslplen", "LBA Status Log Page Length"),
	FIELD_LABELLED(DEC, HEAD, nlslne, "nlslne", "Number of LBA Status Log Namespace Elements"),
	FIELD_LABELLED(DEC, HEAD, estulb, "estulb", "Estimate of Unrecoverable Logical Blocks"),
	FIELD_LABELLED(DEC, HEAD, lsgc, "lsgc", "LBA Status Generation Counter"));

static const struct field *const element_fields =
	FIELDS(FIELD_LABELLED(DEC, ELEMENT, neid, "neid", "Namespace Element Identifier"),
	       FIELD_LABELLED(DEC, ELEMENT, nlrd, "nlrd", "Number of LBA Range Descriptors"),
	       FIELD_LABELLED(DEC, ELEMENT, ratype, "ratype", "Recommended Action Type"));

/* Print the ranges of an element, which the caller has checked to lie within the data. */
static void show_ranges(struct out *out, const unsigned char *at, uint64_t n)
{
	out_array(out, "descs");
	for (uint64_t i = 0; i < n; i++, at += sizeof(RANGE)) {
		uint64_t start = field_get_le(at + offsetof(RANGE, rslba), 8);
		uint64_t blocks = field_get_le(at + offsetof(RANGE, rnlb), 4);

		out_text(out, "RSLBA[%" PRIu64 "]: %" PRIu64 "\nRNLB[%" PRIu64 "]: %" PRIu64 "\n",
			 i, start, i, blocks);
		out_object(out, NULL);
		out_uint(out, "rslba", start);
		out_uint(out, "rnlb", blocks);
		out_end(out);
	}
	out_end(out);
}

/* Return the offset after the element at @offset, or 0 if it is truncated. *@n: its ranges. */
static uint64_t next_element(const struct log_bytes *log, uint64_t offset, uint64_t *n)
{
	if (!log_page_holds(log, offset, 1, sizeof(ELEMENT)))
		return 0;
	*n = field_get_le(log->at + offset + offsetof(ELEMENT, nlrd), 4);
	if (*n == ALL_BLOCKS)
		*n = 0;
	offset += sizeof(ELEMENT);
	return log_page_holds(log, offset, *n, sizeof(RANGE)) ? offset + *n * sizeof(RANGE) : 0;
}

/* Report an element for all blocks, which has no ranges. In JSON, this precedes the elements. */
static void remark_all_blocks(struct out *out, const struct log_bytes *log, uint64_t offset,
			      unsigned int index)
{
	char text[96];

	if (field_get_le(log->at + offset + offsetof(ELEMENT, nlrd), 4) != ALL_BLOCKS)
		return;
	snprintf(text, sizeof(text),
		 "Number of LBA Range Descriptors (NLRD) set to 0xffffffff for NS element %u",
		 index);
	if (out_is_json(out))
		out_str(out, "Result", text);
	else
		out_text(out, "%s\n", text);
}

static void show_element(struct out *out, const struct log_bytes *log, uint64_t offset, uint64_t n,
			 unsigned int index)
{
	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_fields(out, element_fields, NULL, log->at + offset);
	if (!out_is_json(out))
		remark_all_blocks(out, log, offset, index);
	show_ranges(out, log->at + offset + sizeof(ELEMENT), n);
	out_end(out);
}

/* Check all elements before any is printed: a truncated log is an error. */
static int check_elements(struct command *cmd, const struct log_bytes *log, uint64_t count)
{
	uint64_t offset = sizeof(HEAD), n, next;
	bool remarked = false;

	for (uint64_t i = 0; i < count; i++, offset = next) {
		next = next_element(log, offset, &n);
		if (!next)
			return log_page_ends(cmd, "namespace element", i, count, log);
		if (out_is_json(cmd->out) && !remarked &&
		    field_get_le(log->at + offset + offsetof(ELEMENT, nlrd), 4) == ALL_BLOCKS) {
			remark_all_blocks(cmd->out, log, offset, (unsigned int)i);
			remarked = true;
		}
	}
	return 0;
}

static int show_lba_status(struct command *cmd, const struct log_bytes *log, bool explain)
{
	uint64_t count = field_get_le(log->at + offsetof(HEAD, nlslne), 4);
	uint64_t offset = sizeof(HEAD), n = 0, next;
	struct out *out = cmd->out;

	out_text(out, "LBA Status Log for device: %s\n", out_safe(out, cmd->device->name));
	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_fields(out, head_fields, NULL, log->at);
	if (check_elements(cmd, log, count))
		return 1;
	out_array(out, "ns_elements");
	for (uint64_t i = 0; i < count; i++, offset = next) {
		next = next_element(log, offset, &n);
		show_element(out, log, offset, n, (unsigned int)i);
	}
	return out_ends(out, 2);
}

LOG_PAGE_COMMAND(lba_status_log_command, "lba-status-log", "Show the LBA Status Information log",
		 BINARY(LOG_PAGE_OPT_RAE), LOG_ARGS(.nsid = NVME_NSID_NONE), log_page_run,
		 .lid = NVME_LOG_LID_LBA_STATUS, .size = sizeof(HEAD), .what = "lba status log",
		 .retain = true, .length_size = 4, .show_bytes = show_lba_status);
