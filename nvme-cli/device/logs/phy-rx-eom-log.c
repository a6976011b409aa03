// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme phy-rx-eom-log: Physical Interface Receiver Eye Opening Measurement (log page 19h) */
#include "log-page.h"

#define HEAD struct nvme_phy_rx_eom_log
#define LANE struct nvme_eom_lane_desc
#define COMPLETED 2

#define EOM(member, label) FIELD_LABELLED(DEC, HEAD, member, #member, label)

static const struct field *const head_fields =
	FIELDS(EOM(hsize, "Header Size"), EOM(rsize, "Result Size"),
	       EOM(eomdgn, "EOM Data Generation Number"), EOM(lr, "Log Revision"));

static const struct field *const more_fields =
	FIELDS(EOM(lanes, "Lanes"), EOM(epl, "Eyes Per Lane"),
	       EOM(lspfc, "Log Specific Parameter Field Copy"), EOM(li, "Link Information"),
	       EOM(lsic, "Log Specific Identifier Copy"), EOM(dsize, "Descriptor Size"),
	       EOM(nd, "Number of Descriptors"), EOM(maxtb, "Maximum Top Bottom"),
	       EOM(maxlr, "Maximum Left Right"), EOM(etgood, "Estimated Time for Good Quality"),
	       EOM(etbetter, "Estimated Time for Better Quality"),
	       EOM(etbest, "Estimated Time for Best Quality"));

#define EYE(member, label) FIELD_LABELLED(DEC, LANE, member, #member, label)

static const struct field *const lane_fields =
	FIELDS(EYE(lane, "Lane"), EYE(eye, "Eye"), EYE(top, "Top"), EYE(bottom, "Bottom"),
	       EYE(left, "Left"), EYE(right, "Right"), EYE(nrows, "Number of Rows"),
	       EYE(ncols, "Number of Columns"), EYE(edlen, "Eye Data Length"));

static uint64_t get(const void *base, size_t offset, size_t size)
{
	return field_get_le((const unsigned char *)base + offset, size);
}

static bool is_completed(const void *head)
{
	return get(head, offsetof(HEAD, eomip), 1) == COMPLETED;
}

static uint64_t phy_rx_eom_length(const void *head, const struct log_page_args *args)
{
	uint64_t length = get(head, offsetof(HEAD, hsize), 2);

	return is_completed(head) ? length + get(head, offsetof(HEAD, rsize), 4) : length;
}

static void show_printable_eye(struct out *out, const unsigned char *at, uint64_t rows,
			       uint64_t columns)
{
	char text[17];

	for (uint64_t row = 0; row < rows; row++, at += columns) {
		for (uint64_t column = 0; column < columns; column += sizeof(text) - 1) {
			size_t n = columns - column < 16 ? columns - column : 16;

			bytes_format_text(text, at + column, n);
			out_text(out, "%s", text);
		}
		out_text(out, "\n");
	}
}

static void show_lane(struct out *out, const unsigned char *at, const unsigned char *head,
		      uint64_t size)
{
	uint64_t rows = get(at, offsetof(LANE, nrows), 2);
	uint64_t columns = get(at, offsetof(LANE, ncols), 2);
	uint64_t length = get(at, offsetof(LANE, edlen), 2);
	uint64_t room = size - sizeof(LANE), eye = rows * columns;
	unsigned int odp = head[offsetof(HEAD, odp)];
	bool successful = at[offsetof(LANE, mstatus)] & 1;

	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_uint_as(out_label(out, "Measurement Status"), "mstatus", at[offsetof(LANE, mstatus)],
		    "%s", successful ? "Successful" : "Not Successful");
	out_fields(out, lane_fields, NULL, at);
	if (NVME_EOM_ODP_PEFP(odp) && eye <= room) {
		out_text(out, "Printable Eye:\n");
		show_printable_eye(out, at + sizeof(LANE), rows, columns);
	} else {
		eye = 0;
	}
	if (NVME_EOM_ODP_EDFP(odp) && length <= room - eye) {
		out_text(out, "Eye Data:\n");
		out_dump(out, "eye_data", at + sizeof(LANE) + eye, length);
	}
	out_end(out);
}

static int show_lanes(struct command *cmd, const struct log_bytes *log)
{
	uint64_t offset = get(log->at, offsetof(HEAD, hsize), 2);
	uint64_t size = get(log->at, offsetof(HEAD, dsize), 4);
	uint64_t n = get(log->at, offsetof(HEAD, nd), 2);

	if (size < sizeof(LANE) && n)
		return command_fail(cmd, 0, "phy-rx-eom-log: descriptors of only %" PRIu64 " bytes",
				    size);
	out_array(cmd->out, "descs");
	for (uint64_t i = 0; i < n; i++) {
		if (!log_page_holds(log, offset, i + 1, size))
			return log_page_ends(cmd, "descriptor", i, n, log);
		show_lane(cmd->out, log->at + offset + i * size, log->at, size);
	}
	out_end(cmd->out);
	return 0;
}

static int show_eom(struct command *cmd, const struct log_bytes *log, bool explain)
{
	const struct log_page_args *args = cmd->args;
	unsigned int eomip = log->at[offsetof(HEAD, eomip)];
	struct out *out = cmd->out;

	out_text(out,
		 "Physical Interface Receiver Eye Opening Measurement Log for controller ID: %u\n",
		 args->lsi);
	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_uint(out_label(out, "Log ID"), "lid", log->at[0]);
	out_label(out, "EOM In Progress");
	out_uint_as(out, "eomip", eomip, "%s",
		    bits_word(WORDS("Not Started", "In Progress", "Completed", "Unknown"), eomip));
	out_fields(out, head_fields, NULL, log->at);
	out_uint(out_text_only(out), "Optional Data Present", log->at[offsetof(HEAD, odp)]);
	out_fields(out, more_fields, NULL, log->at);
	if (is_completed(log->at) && show_lanes(cmd, log))
		return 1;
	return out_end(out);
}

LOG_PAGE_COMMAND(phy_rx_eom_log_command, "phy-rx-eom-log",
		 "Show the log of Physical Interface Receiver Eye measurements",
		 BINARY(OPT(BYTE, "lsp", 's', struct log_page_args, lsp, "N",
			    "action in bits 3:2, quality in bits 1:0 of the measurement"),
			OPT(SHORT, "controller", 'c', struct log_page_args, lsi, "N",
			    "controller")),
		 LOG_ARGS(.nsid = NVME_NSID_NONE), log_page_run, .lid = NVME_LOG_LID_PHY_RX_EOM,
		 .size = sizeof(HEAD), .what = "phy rx eom log", .length = phy_rx_eom_length,
		 .show_bytes = show_eom);
