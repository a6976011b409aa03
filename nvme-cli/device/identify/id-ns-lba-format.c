// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme id-ns-lba-format: Identify Namespace for an LBA format (CNS 09h) */
#include "identify.h"

struct lba_format_args {
	uint16_t lba_format;
	uint8_t uuid_index;
};
#define ARGS struct lba_format_args

#define NS(kind, member) FIELD(kind, struct nvme_id_ns, member)

static const struct field fields[] = {
	NS(DEC, nlbaf), NS(HEX, mc), NS(HEX, dpc), NS(DEC, nulbaf), FIELD_END,
};

static int answer_id_ns_lba_format(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct lba_format_args *args = cmd->args;
	const struct nvme_id_ns *ns = request_data(c);
	const bool explain = cmd->common.verbose;
	struct out *out = cmd->out;

	out_text(out, "NVMe Identify Namespace for LBA format[%u]:\n", args->lba_format);
	out_listing(out, NULL, OUT_PAD_COLON, 8);
	out_fields(out, fields, explain ? id_ns_bits : NULL, ns);
	id_ns_show_formats(out, ns, explain, false);
	if (out_is_json(out))
		id_ns_show_vendor_text(out, ns);
	return out_end(out);
}

IDENTIFY_COMMAND(id_ns_lba_format_command, "id-ns-lba-format",
		 "Identify Namespace, for an LBA format",
		 BINARY(OPT(SHORT, "lba-format-index", 'i', ARGS, lba_format, "N", "LBA format"),
			OPT(BYTE, "uuid-index", 'U', ARGS, uuid_index, "N", "UUID index")),
		 ARGS, NULL, NVME_IDENTIFY_CNS_NS_USER_DATA_FORMAT,
		 .parts = REQUEST_PARTS(REQUEST_BITS(11, 0, 16, ARGS, lba_format),
					REQUEST_PART(14, 0, 7, ARGS, uuid_index, "uuid-index")),
		 .answer = answer_id_ns_lba_format);
