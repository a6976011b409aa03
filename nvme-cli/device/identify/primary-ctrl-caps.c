// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme primary-ctrl-caps: Primary Controller Capabilities (CNS 14h) */
#include "identify.h"

struct primary_args {
	uint16_t cntlid;
	bool human;
};

/* nvme-cli 2.x prints a colon in the first of these lines only. */
static void explain_types(struct out *out, unsigned int types)
{
	if (types >> 2)
		out_text(out, "  [7:2] : %#x\tReserved\n", types >> 2);
	out_text(out, "  [1:1] %#x\tVI Resources are %ssupported\n", types >> 1 & 1,
		 types & 2 ? "" : "not ");
	out_text(out, "  [0:0] %#x\tVQ Resources are %ssupported\n\n", types & 1,
		 types & 1 ? "" : "not ");
}

#define CAP(kind, member) FIELD(kind, struct nvme_primary_ctrl_cap, member)

static const struct field *const type_fields =
	FIELDS(CAP(HEX, cntlid), CAP(HEX, portid), CAP(HEX, crt));
static const struct field *const fields =
	FIELDS(CAP(DEC, vqfrt), CAP(DEC, vqrfa), CAP(DEC, vqrfap), CAP(DEC, vqprt),
	       CAP(DEC, vqfrsm), CAP(DEC, vqgran), CAP(DEC, vifrt), CAP(DEC, virfa),
	       CAP(DEC, virfap), CAP(DEC, viprt), CAP(DEC, vifrsm), CAP(DEC, vigran));

static int answer_primary_ctrl_caps(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct nvme_primary_ctrl_cap *caps = request_data(c);
	const struct primary_args *args = cmd->args;
	struct out *out = cmd->out;

	out_text(out, "NVME Identify Primary Controller Capabilities:\n");
	out_listing(out, NULL, OUT_PAD_COLON, 10);
	out_fields(out, type_fields, NULL, caps);
	if (args->human || cmd->common.verbose)
		explain_types(out, caps->crt);
	out_fields(out, fields, NULL, caps);
	return out_end(out);
}

IDENTIFY_COMMAND(primary_ctrl_caps_command, "primary-ctrl-caps",
		 "Show the resources of a primary controller for secondary ones",
		 BINARY(OPT(SHORT, "cntlid", 'c', struct primary_args, cntlid, "N", "controller"),
			OPT_FLAG("human-readable", 'H', struct primary_args, human,
				 "explain the bits")),
		 struct primary_args, NULL, NVME_IDENTIFY_CNS_PRIMARY_CTRL_CAP,
		 .parts = REQUEST_PARTS(REQUEST_BITS(10, 16, 16, struct primary_args, cntlid)),
		 .answer = answer_primary_ctrl_caps);
