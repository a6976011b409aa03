// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme fw-commit: NVM Express Base Specification 2.1, section 5.1.8 */
#include "device/request.h"

#define FRMW_DETECTS_OVERLAP 0x20

struct fw_commit_args {
	uint8_t slot, action, bpid;
};

static const struct arg fw_commit_options[] = {
	OPT(BYTE, "slot", 's', struct fw_commit_args, slot, "N",
	    "firmware slot; 0 lets the controller choose"),
	OPT(BYTE, "action", 'a', struct fw_commit_args, action, "N",
	    "0 stores the image, 1 also activates it at the next reset, 2 activates the image in "
	    "the slot at the next reset, 3 activates it immediately, 6 stores a boot partition, 7 "
	    "activates one"),
	OPT(BYTE, "bpid", 'b', struct fw_commit_args, bpid, "N", "boot partition"),
	GENERIC_OPTIONS,
	OPT_END,
};

static const struct request_part parts[] = {
	REQUEST_BITS(10, 0, 3, struct fw_commit_args, slot),
	REQUEST_BITS(10, 3, 3, struct fw_commit_args, action),
	REQUEST_PART(10, 31, 1, struct fw_commit_args, bpid, "boot partition id"),
	REQUEST_PART_END,
};

static int check_fw_commit(struct command *cmd)
{
	const struct fw_commit_args *args = cmd->args;

	if (args->action == 4 || args->action == 5)
		return command_fail(cmd, 0, "invalid action:%u (0 to 3, 6 or 7)", args->action);
	return 0;
}

/* Base Specification 2.1, figure 185: sources of commands that update another image meanwhile. */
static const char *const others[] = { "an Admin SQ on a controller", "a Management Endpoint" };

static void report_overlap(struct command *cmd, uint32_t detected)
{
	struct out *out = cmd->out;

	out_text(out, "Multiple Update Detected (MUD) Value: %u\n", detected);
	for (unsigned int bit = 0; bit < sizeof(others) / sizeof(*others); bit++)
		if (detected >> bit & 1)
			out_text(
				out,
				"Detected an overlapping firmware/boot partition image update command\n"
				"sequence due to processing a command from %s\n",
				others[bit]);
	out_uint(out_json_only(out), "multiple_update_detected", detected);
}

static int answer_fw_commit(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct fw_commit_args *args = cmd->args;
	struct nvme_id_ctrl ctrl = { 0 };
	char text[80], boot[16] = "";

	if (args->action >= 6)
		snprintf(boot, sizeof(boot), " bpid:%u", args->bpid);
	snprintf(text, sizeof(text), "Success committing firmware action:%u slot:%u%s",
		 args->action, args->slot, boot);
	out_text(cmd->out, "%s\n", text);
	out_object(cmd->out, NULL);
	out_str(cmd->out, "result", text);
	if (!nvme_identify_ctrl(cmd->device->fd, &ctrl) && ctrl.frmw & FRMW_DETECTS_OVERLAP)
		report_overlap(cmd, c->result);
	return out_end(cmd->out);
}

/* The alias is the name of the command before NVMe 1.2. */
DEVICE_COMMAND(fw_commit_command, "fw-commit", "Store or activate a firmware image",
	       fw_commit_options, struct fw_commit_args, .alias = "fw-activate",
	       REQUEST_ROW(.opcode = nvme_admin_fw_commit, .parts = parts, .check = check_fw_commit,
			   .answer = answer_fw_commit));
