// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme fw-log: Firmware Slot Information (log page 03h) */
#include "log-page.h"

/* Print the revision in a slot as a number and as characters; nothing for an empty slot. */
static void show_slot(struct out *out, unsigned int slot, const char revision[8])
{
	char key[32], label[16], value[48], characters[9];
	uint64_t number = field_get_le(revision, 8);

	if (!number)
		return;
	bytes_format_text(characters, revision, 8);
	snprintf(key, sizeof(key), "Firmware Rev Slot %u", slot);
	snprintf(label, sizeof(label), "frs%u", slot);
	snprintf(value, sizeof(value), "%" PRIu64 " (%s)", number, characters);
	out_str_as(out_label(out, label), key, value, "%#016" PRIx64 " (%s)", number, characters);
}

static int show_fw_log(struct command *cmd, const void *data, bool explain)
{
	const struct nvme_firmware_slot *log = data;
	struct out *out = cmd->out;

	out_text(out, "Firmware Log for device:%s\n", out_safe(out, cmd->device->name));
	out_object(out, NULL);
	out_listing(out, cmd->device->name, OUT_PAD_COLON, 5);
	out_uint_as(out_label(out, "afi"), "Active Firmware Slot (afi)", log->afi, "%#x", log->afi);
	for (unsigned int slot = 1; slot <= 7; slot++)
		show_slot(out, slot, log->frs[slot - 1]);
	return out_ends(out, 2);
}

LOG_PAGE_COMMAND(fw_log_command, "fw-log", "Show the Firmware Slot Information log",
		 BINARY(LOG_PAGE_OPT_RAW), LOG_ARGS(.nsid = NVME_NSID_ALL), log_page_run,
		 .lid = NVME_LOG_LID_FW_SLOT, .size = sizeof(struct nvme_firmware_slot),
		 .what = "fw log", .show = show_fw_log);
