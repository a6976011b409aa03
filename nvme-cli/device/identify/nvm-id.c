// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme nvm-id-ctrl, nvm-id-ns, nvm-id-ns-lba-format: NVM command set (CNS 06h, 05h, 0Ah) */
#include "identify.h"

struct nvm_id_args {
	uint32_t nsid;
	uint8_t uuid_index;
	uint16_t lba_format;
	struct nvme_id_ns ns; /* to get the number of its LBA formats */
};
#define ARGS struct nvm_id_args

#define NVM_CTRL struct nvme_id_ctrl_nvm
#define NS struct nvme_nvm_id_ns

enum { KEY_PER_IO = offsetof(NVM_CTRL, kpiocap), ADMIN_COMMANDS = offsetof(NVM_CTRL, aocs) };

static const struct bits ctrl_bits[] = {
	{ KEY_PER_IO, 2, 6, "Reserved", .only_if = BITS_MASK(7, 2) },
	{ KEY_PER_IO, 1, 1, "Key Per I/O capability enabled and disabled",
	  .words = WORDS("each namespace in theNVM subsystem",
			 "all namespaces in theNVM subsystem") },
	{ KEY_PER_IO, 0, 1, "Key Per I/O capability",
	  .words = WORDS("Not Supported", "Supported") },
	{ ADMIN_COMMANDS, 1, 15, "Reserved", .only_if = BITS_MASK(15, 1) },
	{ ADMIN_COMMANDS, 0, 1, "Reporting Allocated LBA",
	  .words = WORDS("Not Supported", "Supported") },
	{ 0, 0, 0, NULL },
};

static const struct field *const ctrl_fields =
	FIELDS(FIELD(DEC, NVM_CTRL, vsl), FIELD(DEC, NVM_CTRL, wzsl), FIELD(DEC, NVM_CTRL, wusl),
	       FIELD(DEC, NVM_CTRL, dmrl), FIELD(DEC, NVM_CTRL, dmrsl), FIELD(DEC, NVM_CTRL, dmsl),
	       FIELD(DEC, NVM_CTRL, kpiocap), FIELD(DEC, NVM_CTRL, wzdsl),
	       FIELD(DEC, NVM_CTRL, aocs));

static const char *queue_format(unsigned int format)
{
	return !format		? "LBA Migration Queue Entry Type 0"
	       : format >= 0xc0 ? "Vendor Specific"
				: "Reserved";
}

static int ctrl_answer(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct nvme_id_ctrl_nvm *ctrl = request_data(c);
	const uint32_t version = le32toh(ctrl->ver);
	const bool explain = cmd->common.verbose;
	struct out *out = cmd->out;

	out_text(out, "NVMe Identify Controller NVM:\n");
	out_listing(out, NULL, OUT_PAD_COLON, 7);
	out_fields(out, ctrl_fields, explain ? ctrl_bits : NULL, ctrl);
	out_uint_as(out, "ver", version, "0x%x", version);
	if (explain)
		out_text(out, "  NVM command set specification: %u.%u.%u\n\n", version >> 16,
			 version >> 8 & 0xff, version & 0xff);
	out_uint(out, "lbamqf", ctrl->lbamqf);
	if (explain)
		out_text(out, "  0x%x: %s\n", ctrl->lbamqf, queue_format(ctrl->lbamqf));
	return out_end(out);
}

IDENTIFY_COMMAND(nvm_id_ctrl_command, "nvm-id-ctrl", "Identify Controller of the NVM command set",
		 OPTIONS(GENERIC_OPTIONS_BINARY), ARGS, NULL, NVME_IDENTIFY_CNS_CSI_CTRL,
		 .answer = ctrl_answer);

enum { CAPABILITIES = offsetof(NS, pic), ATTRIBUTES = offsetof(NS, pifa) };

static const struct bits ns_bits[] = {
	{ CAPABILITIES, 4, 4, "Reserved", .only_if = BITS_MASK(7, 4) },
	{ CAPABILITIES, 3, 1, "Qualified Protection Information Format",
	  .words = WORDS("Not Supported", "Supported") },
	{ CAPABILITIES, 2, 1, "Storage Tag Check Read",
	  .words = WORDS("Not Supported", "Supported") },
	{ CAPABILITIES, 1, 1, "16b Guard Protection Information Storage Tag Mask" },
	{ CAPABILITIES, 0, 1, "16b Guard Protection Information Storage Tag",
	  .words = WORDS("Not Supported", "Supported") },
	{ ATTRIBUTES, 3, 5, "Reserved", .only_if = BITS_MASK(7, 3) },
	{ ATTRIBUTES, 0, 3, "Storage Tag Masking Level Attribute :",
	  .words = WORDS("Bit Granularity Masking", "Byte Granularity Masking",
			 "Masking Not Supported", "Reserved") },
	{ 0, 0, 0, NULL },
};

static const struct field mask_fields[] = { FIELD(HEX, NS, lbstm), FIELD_END };
static const struct field ns_fields[] = { FIELD(HEX, NS, pic), FIELD(HEX, NS, pifa), FIELD_END };
#define NSFEAT_NPDGL 0x20

static const struct field deallocate_fields[] = { FIELD(HEX, NS, npdgl), FIELD_END };
static const struct field *const size_fields =
	FIELDS(FIELD(HEX, NS, nprg), FIELD(HEX, NS, npra), FIELD(HEX, NS, nors),
	       FIELD(HEX, NS, npdal), FIELD(HEX, NS, lbapss), FIELD(HEX, NS, tlbaag));

static void show_format(struct out *out, unsigned int index, uint32_t format, bool explain,
			bool in_use)
{
	static const char *const types[] = { "16b Guard", "32b Guard", "64b Guard", "Reserved",
					     NULL };
	static const char *const simple[] = { "16b Guard", "32b Guard", "64b Guard",
					      "Qualified Type", NULL };
	const unsigned int tag = format & 0x7f, pif = format >> 7 & 3, qpif = format >> 9 & 0xf;

	if (explain)
		out_text(
			out,
			"Extended LBA Format %2u : Qualified Protection Information Format: %s(%u) "
			"- Protection Information Format: %s(%u) - Storage Tag Size (MSB): %u %s\n",
			index, bits_word(types, qpif), qpif, bits_word(simple, pif), pif, tag,
			in_use ? "(in use)" : "");
	else
		out_text(out, "elbaf %2u : qpif:%u pif:%u sts:%u %s\n", index, qpif, pif, tag,
			 in_use ? "(in use)" : "");
	out_object(out, NULL);
	out_uint(out, "sts", tag);
	out_uint(out, "pif", pif);
	out_uint(out, "qpif", qpif);
	out_end(out);
}

static int show_ns(struct command *cmd, const struct nvme_nvm_id_ns *nvm, bool whole)
{
	const struct nvm_id_args *args = cmd->args;
	const unsigned int n = args->ns.nlbaf + args->ns.nulbaf + 1U;
	const unsigned int in_use = device_lbaf(args->ns.flbas);
	const bool explain = cmd->common.verbose;
	struct out *out = cmd->out;

	out_listing(out, NULL, OUT_PAD_COLON, 6);
	if (whole)
		out_fields(out, mask_fields, NULL, nvm);
	out_fields(out, ns_fields, explain ? ns_bits : NULL, nvm);
	out_array(out, "elbafs");
	for (unsigned int i = 0; i < n && i < 64; i++)
		show_format(out, i, le32toh(nvm->elbaf[i]), explain, whole && i == in_use);
	out_end(out);
	if (args->ns.nsfeat & NSFEAT_NPDGL)
		out_fields(out, deallocate_fields, NULL, nvm);
	out_fields(out, size_fields, NULL, nvm);
	return out_end(out);
}

static int ns_build(struct command *cmd, struct nvme_passthru_cmd *c)
{
	struct nvm_id_args *args = cmd->args;
	const uint32_t nsid = c->nsid ? c->nsid : NVME_NSID_ALL;

	return device_identify_ns(cmd, nsid, &args->ns);
}

static int ns_answer(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	out_text(cmd->out, "NVMe NVM Identify Namespace %u:\n", c->nsid);
	return show_ns(cmd, request_data(c), true);
}

IDENTIFY_COMMAND(nvm_id_ns_command, "nvm-id-ns", "Identify Namespace of the NVM command set",
		 BINARY(OPT_NSID(ARGS),
			OPT(BYTE, "uuid-index", 'U', ARGS, uuid_index, "N", "UUID index")),
		 ARGS, NULL, NVME_IDENTIFY_CNS_CSI_NS, REQUEST_NSID(OWN, ARGS),
		 .parts = REQUEST_PARTS(REQUEST_PART(14, 0, 7, ARGS, uuid_index, "uuid-index")),
		 .build = ns_build, .answer = ns_answer);

static int format_answer(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct nvm_id_args *args = cmd->args;

	out_text(cmd->out, "NVMe NVM Identify Namespace for LBA format[%u]:\n", args->lba_format);
	return show_ns(cmd, request_data(c), false);
}

IDENTIFY_COMMAND(nvm_id_ns_lba_format_command, "nvm-id-ns-lba-format",
		 "Identify Namespace of the NVM command set, for an LBA format",
		 BINARY(OPT(SHORT, "lba-format-index", 'i', ARGS, lba_format, "N", "LBA format"),
			OPT(BYTE, "uuid-index", 'U', ARGS, uuid_index, "N", "UUID index")),
		 ARGS, NULL, NVME_IDENTIFY_CNS_CSI_NS_USER_DATA_FORMAT,
		 .parts = REQUEST_PARTS(REQUEST_BITS(11, 0, 16, ARGS, lba_format),
					REQUEST_PART(14, 0, 7, ARGS, uuid_index, "uuid-index")),
		 .build = ns_build, .answer = format_answer);
