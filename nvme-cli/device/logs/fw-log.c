// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme fw-log: Firmware Slot Information (log page 03h) */
#include <inttypes.h>

#include "commands.h"
#include "log-page.h"

static const struct arg fw_log_options[] = {
	LOG_PAGE_OPT_RAW,
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

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
	out_label(out, label);
	out_str_as(out, key, value, "%#016" PRIx64 " (%s)", number, characters);
}

static int show_fw_log(struct command *cmd, const struct device *dev, const void *data,
		       bool explain)
{
	const struct nvme_firmware_slot *log = data;
	struct out *out = cmd->out;

	out_text(out, "Firmware Log for device:%s\n", out_safe(out, dev->name));
	out_object(out, NULL);
	out_listing(out, dev->name, OUT_PAD_COLON, 5);
	out_label(out, "afi");
	out_uint_as(out, "Active Firmware Slot (afi)", log->afi, "%#x", log->afi);
	for (unsigned int slot = 1; slot <= 7; slot++)
		show_slot(out, slot, log->frs[slot - 1]);
	out_end(out);
	return out_end(out);
}

static const struct log_page fw_log_page = {
	.lid = NVME_LOG_LID_FW_SLOT,
	.size = sizeof(struct nvme_firmware_slot),
	.what = "fw log",
	.show = show_fw_log,
};

const struct command_spec fw_log_command =
	LOG_PAGE_COMMAND("fw-log", "Show the Firmware Slot Information log", fw_log_options,
			 fw_log_page);
