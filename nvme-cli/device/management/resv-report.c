// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme resv-report: NVM Express Base Specification 2.1, section 7.8 */
#include "device/request.h"

#define REPORT_DEFAULT 0x1000 /* bytes */
#define REPORT_MAX_DWORDS (1U << 20)
#define CTRATT_HOST_ID_128 1

struct report_args {
	uint32_t nsid, numd;
	bool extended, raw;
};

static int measure_resv_report(struct command *cmd, __u32 *data_len)
{
	const struct report_args *args = cmd->args;

	if (args->numd > REPORT_MAX_DWORDS)
		return command_fail(cmd, 0, "invalid numd:%u (up to %u)", args->numd,
				    REPORT_MAX_DWORDS);
	*data_len = args->numd ? (args->numd + 1) * 4 : REPORT_DEFAULT;
	return 0;
}

static int build_resv_report(struct command *cmd, struct nvme_passthru_cmd *c)
{
	const struct report_args *args = cmd->args;
	struct nvme_id_ctrl ctrl = { 0 };

	if (device_identify_ctrl(cmd, &ctrl))
		return 1;
	c->cdw10 = c->data_len / 4 - 1;
	c->cdw11 = args->extended || le32toh(ctrl.ctratt) & CTRATT_HOST_ID_128;
	return 0;
}

/* The registrants of one of the two structures. */
struct registrants {
	const char *key, *label;
	size_t offset, size;
	int width;
	const struct field *fields;
};

#define SHORT(kind, member) FIELD(kind, struct nvme_registered_ctrl, member)
#define LONG(kind, member) FIELD(kind, struct nvme_registered_ctrl_ext, member)

static const struct registrants kinds[] = {
	{ "regctls", "regctl", offsetof(struct nvme_resv_status, regctl_ds),
	  sizeof(struct nvme_registered_ctrl), 8,
	  FIELDS(SHORT(HEX_BARE, cntlid), SHORT(HEX_BARE, rcsts), SHORT(HEX_BARE, hostid),
		 SHORT(HEX_BARE, rkey)) },
	{ "regctlext", "regctlext", offsetof(struct nvme_resv_status, regctl_eds),
	  sizeof(struct nvme_registered_ctrl_ext), 11,
	  FIELDS(LONG(HEX_BARE, cntlid), LONG(HEX_BARE, rcsts), LONG(HEX_BARE, rkey),
		 LONG(BYTES, hostid)) },
};

/* Print the registrants within the data that was read, @n if it has all of them. */
static void show_registrants(struct out *out, const struct nvme_passthru_cmd *c, unsigned int n)
{
	const struct registrants *kind = &kinds[c->cdw11];
	const unsigned char *at = (const unsigned char *)request_data(c) + kind->offset;

	out_array(out, kind->key);
	for (unsigned int i = 0; i < n && kind->offset + (i + 1) * kind->size <= c->data_len; i++) {
		out_text(out, "%s[%u] :\n", kind->label, i);
		out_indent(out, 2);
		out_listing(out, NULL, OUT_PAD_COLON, kind->width);
		out_fields(out, kind->fields, NULL, at + i * kind->size);
		out_end(out);
		out_indent(out, -2);
	}
	out_end(out);
}

static int answer_resv_report(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	struct nvme_resv_status head = { 0 };
	struct out *out = cmd->out;
	unsigned int announced;

	memcpy(&head, request_data(c), c->data_len < sizeof(head) ? c->data_len : sizeof(head));
	announced = head.regctl[0] | head.regctl[1] << 8;
	out_text(out, "\nNVME Reservation status:\n\n");
	out_listing(out, NULL, OUT_PAD_COLON, 10);
	out_uint(out, "gen", le32toh(head.gen));
	out_uint(out, "rtype", head.rtype);
	out_uint(out, "regctl", announced);
	out_uint(out, "ptpls", head.ptpls);
	show_registrants(out, c, announced);
	out_text(out, "\n");
	return out_end(out);
}

REQUEST_COMMAND_BINARY(
	resv_report_command, "resv-report",
	"Show the reservation of a namespace and its registrants",
	BINARY(OPT_NSID(struct report_args),
	       OPT(UINT, "numd", 'd', struct report_args, numd, "N", "dwords to read, less one"),
	       OPT_FLAG("eds", 'e', struct report_args, extended,
			"extended structure; hosts with 128-bit identifiers always get it"),
	       OPT_FLAG("raw-binary", 'b', struct report_args, raw, "write the structure's bytes")),
	struct report_args, .opcode = nvme_cmd_resv_report, .io = true,
	REQUEST_NSID(OWN, struct report_args), .measure = measure_resv_report,
	.build = build_resv_report, .answer = answer_resv_report);
