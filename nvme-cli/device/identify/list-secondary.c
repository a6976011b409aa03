// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme list-secondary: Secondary Controller List (CNS 15h) */
#include "identify.h"

struct secondary_args {
	uint16_t cntid;
	uint32_t entries;
};
#define ARGS struct secondary_args

static void show_list_secondary(struct out *out, unsigned int index,
				const struct nvme_secondary_ctrl *ctrl)
{
	out_text(out, "   SCEntry[%-3u]:\n................\n", index);
	out_text(out, "     SCID      : Secondary Controller Identifier : 0x%.04x\n",
		 le16toh(ctrl->scid));
	out_text(out, "     PCID      : Primary Controller Identifier   : 0x%.04x\n",
		 le16toh(ctrl->pcid));
	out_text(out, "     SCS       : Secondary Controller State      : %#.04x (%s)\n", ctrl->scs,
		 ctrl->scs & 1 ? "Online" : "Offline");
	out_text(out, "     VFN       : Virtual Function Number         : 0x%.04x\n",
		 le16toh(ctrl->vfn));
	out_text(out, "     NVQ       : Num VQ Flex Resources Assigned  : 0x%.04x\n",
		 le16toh(ctrl->nvq));
	out_text(out, "     NVI       : Num VI Flex Resources Assigned  : 0x%.04x\n",
		 le16toh(ctrl->nvi));
	out_object(out, NULL);
	out_uint(out, "secondary-controller-identifier", le16toh(ctrl->scid));
	out_uint(out, "primary-controller-identifier", le16toh(ctrl->pcid));
	out_uint(out, "secondary-controller-state", ctrl->scs);
	out_uint(out, "virtual-function-number", le16toh(ctrl->vfn));
	out_uint(out, "num-virtual-queues", le16toh(ctrl->nvq));
	out_uint(out, "num-virtual-interrupts", le16toh(ctrl->nvi));
	out_end(out);
}

static int answer_list_secondary(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct nvme_secondary_ctrl_list *list = request_data(c);
	const struct secondary_args *args = cmd->args;
	unsigned int n = list->num < args->entries ? list->num : args->entries;
	struct out *out = cmd->out;

	if (n > NVME_ID_SECONDARY_CTRL_MAX)
		n = NVME_ID_SECONDARY_CTRL_MAX;
	out_text(out, "Identify Secondary Controller List:\n");
	out_text(out, "   NUMID       : Number of Identifiers           : %u\n", list->num);
	out_object(out, NULL);
	out_uint(out, "num", n);
	out_array(out, "secondary-controllers");
	for (unsigned int i = 0; i < n; i++)
		show_list_secondary(out, i, &list->sc_entry[i]);
	return out_ends(out, 2);
}

static int check_list_secondary(struct command *cmd)
{
	const struct secondary_args *args = cmd->args;

	return args->entries ? 0 : command_fail(cmd, 0, "non-zero num-entries is required param");
}

IDENTIFY_COMMAND(list_secondary_command, "list-secondary",
		 "List the secondary controllers of a primary one",
		 BINARY(OPT(SHORT, "cntid", 'c', ARGS, cntid, "N", "first controller to list"),
			OPT(UINT, "num-entries", 'e', ARGS, entries, "N", "entries to show")),
		 ARGS, &(const struct secondary_args){ .entries = NVME_ID_SECONDARY_CTRL_MAX },
		 NVME_IDENTIFY_CNS_SECONDARY_CTRL_LIST,
		 .parts = REQUEST_PARTS(REQUEST_BITS(10, 16, 16, ARGS, cntid)),
		 .check = check_list_secondary, .answer = answer_list_secondary);
