// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme id-iocs: I/O Command Set data structure (CNS 1Ch) */
#include "identify.h"

#define IOCS_COMBINATIONS 512

struct id_iocs_args {
	uint16_t cntid;
};

#define SELECTED(bit, name) \
	{ \
		.shift = bit, .width = 1, .label = name, \
		.words = WORDS("Not Selected", "Selected"), \
	}

static const struct bits sets[] = {
	SELECTED(4, "Computational Programs Namespace Command Set"),
	SELECTED(3, "Subsystem Local Memory Command Set"),
	SELECTED(2, "Zoned Namespace Command Set"),
	SELECTED(1, "Key Value Command Set"),
	SELECTED(0, "NVM Command Set"),
	{ 0, 0, 0, NULL },
};

static void show_id_iocs(struct out *out, unsigned int index, uint64_t combination, bool explain)
{
	char key[48];

	out_text(out, "I/O Command Set Combination[%u]:%" PRIx64 "\n", index, combination);
	if (explain)
		out_bits_text(out, sets, 0, combination);
	snprintf(key, sizeof(key), "I/O Command Set Combination[%u]", index);
	out_uint(out, key, combination);
	snprintf(key, sizeof(key), "IOCSC%u", index);
	out_object(out, key);
	for (const struct bits *set = sets; set->label; set++)
		out_str(out, set->label,
			combination >> set->shift & 1 ? "Selected" : "Not selected");
	out_end(out);
}

static int answer_id_iocs(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const __le64 *list = request_data(c);
	struct out *out = cmd->out;

	out_text(out, "NVMe Identify I/O Command Set:\n");
	out_object(out, NULL);
	for (unsigned int i = 0; i < IOCS_COMBINATIONS && list[i]; i++)
		show_id_iocs(out, i, le64toh(list[i]), cmd->common.verbose);
	return out_end(out);
}

IDENTIFY_COMMAND(id_iocs_command, "id-iocs", "List the combinations of I/O command sets",
		 BINARY(OPT(SHORT, "controller-id", 'c', struct id_iocs_args, cntid, "N",
			    "controller (default: that of the device)")),
		 struct id_iocs_args, &(const struct id_iocs_args){ .cntid = UINT16_MAX },
		 NVME_IDENTIFY_CNS_COMMAND_SET_STRUCTURE,
		 .parts = REQUEST_PARTS(REQUEST_BITS(10, 16, 16, struct id_iocs_args, cntid)),
		 .answer = answer_id_iocs);
