// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme list-endgrp: Endurance Group List (CNS 19h) */
#include <endian.h>

#include "commands.h"
#include "identify.h"

struct endgrp_args {
	uint16_t endgrp;
};

static const struct arg options[] = {
	OPT(SHORT, "endgrp-id", 'i', struct endgrp_args, endgrp, "N",
	    "first endurance group to list"),
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

static int answer_list_endgrp(struct command *cmd, const struct device *dev,
			      const struct nvme_passthru_cmd *c)
{
	const struct nvme_id_endurance_group_list *list = request_data(c);
	const unsigned int n = le16toh(list->num);
	struct out *out = cmd->out;

	out_text(out, "num of endurance group ids: %u\n", n);
	out_object(out, NULL);
	out_uint(out, "num_endgrp_id", n);
	out_array(out, "endgrp_list");
	for (unsigned int i = 0; i < n && i < NVME_ID_ENDURANCE_GROUP_LIST_MAX; i++) {
		const unsigned int id = le16toh(list->identifier[i]);

		out_text(out, "[%4u]:%#x\n", i, id);
		out_object(out, NULL);
		out_uint(out, "endgrp_id", id);
		out_end(out);
	}
	out_end(out);
	return out_end(out);
}

static const struct request_part parts[] = {
	REQUEST_BITS(11, 0, 16, struct endgrp_args, endgrp),
	REQUEST_PART_END,
};

IDENTIFY_COMMAND(list_endgrp_command, "list-endgrp", "List the endurance groups", options,
		 struct endgrp_args, NULL, NVME_IDENTIFY_CNS_ENDURANCE_GROUP_ID, .parts = parts,
		 .answer = answer_list_endgrp);
