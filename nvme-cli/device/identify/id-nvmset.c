// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme id-nvmset: NVM Set List (CNS 04h) */
#include "identify.h"

struct nvmset_args {
	uint16_t nvmset_id;
};

#define SET(name, member) FIELD_NAMED(name, DEC, struct nvme_nvmset_attr, member)

static const struct field *const fields =
	FIELDS(SET("nvmset_id", nvmsetid), SET("endurance_group_id", endgid),
	       SET("random_4k_read_typical", rr4kt), SET("optimal_write_size", ows),
	       SET("total_nvmset_cap", tnvmsetcap), SET("unalloc_nvmset_cap", unvmsetcap));

static int answer_id_nvmset(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct nvme_id_nvmset_list *list = request_data(c);
	const struct nvmset_args *args = cmd->args;
	struct out *out = cmd->out;

	out_text(out, "NVME Identify NVM Set List %u:\nnid     : %u\n.................\n",
		 args->nvmset_id, list->nid);
	out_object(out, NULL);
	out_uint(out, "nid", list->nid);
	out_array(out, "NVMSet");
	for (unsigned int i = 0; i < list->nid && i < NVME_ID_NVMSET_LIST_MAX; i++) {
		out_text(out, " NVM Set Attribute Entry[%2u]\n.................\n", i);
		out_listing(out, NULL, OUT_PAD_COLON, 24);
		out_fields(out, fields, NULL, &list->ent[i]);
		out_end(out);
		out_text(out, ".................\n");
	}
	return out_ends(out, 2);
}

IDENTIFY_COMMAND(id_nvmset_command, "id-nvmset", "List the NVM sets",
		 BINARY(OPT(SHORT, "nvmset_id", 'i', struct nvmset_args, nvmset_id, "N",
			    "first NVM set to list")),
		 struct nvmset_args, NULL, NVME_IDENTIFY_CNS_NVMSET_LIST,
		 .parts = REQUEST_PARTS(REQUEST_BITS(11, 0, 16, struct nvmset_args, nvmset_id)),
		 .answer = answer_id_nvmset);
