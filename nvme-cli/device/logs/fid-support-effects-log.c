// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme fid-support-effects-log, mi-cmd-support-effects-log (log pages 12h and 13h) */
#include "log-page.h"

#define SCOPE(bit) ((uint64_t)(bit) << NVME_FID_SUPPORTED_EFFECTS_SCOPE_SHIFT)
#define SCOPES \
	{ SCOPE(NVME_FID_SUPPORTED_EFFECTS_SCOPE_NS), "NAMESPACE SCOPE" }, \
		{ SCOPE(NVME_FID_SUPPORTED_EFFECTS_SCOPE_CTRL), "CONTROLLER SCOPE" }, \
		{ SCOPE(NVME_FID_SUPPORTED_EFFECTS_SCOPE_NVM_SET), "NVM SET SCOPE" }, \
		{ SCOPE(NVME_FID_SUPPORTED_EFFECTS_SCOPE_ENDGRP), "ENDURANCE GROUP SCOPE" }, \
		{ SCOPE(NVME_FID_SUPPORTED_EFFECTS_SCOPE_DOMAIN), "DOMAIN SCOPE" }, \
	{ \
		SCOPE(NVME_FID_SUPPORTED_EFFECTS_SCOPE_NSS), "NVM Subsystem SCOPE" \
	}

static const struct arg support_options[] = {
	LOG_PAGE_OPT_HUMAN,
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

/* clang-format off */
static const struct out_flag feature_effects[] = {
	{ NVME_FID_SUPPORTED_EFFECTS_FSUPP, "FSUPP" },
	{ NVME_FID_SUPPORTED_EFFECTS_UDCC, "UDCC" },
	{ NVME_FID_SUPPORTED_EFFECTS_NCC, "NCC" },
	{ NVME_FID_SUPPORTED_EFFECTS_NIC, "NIC" },
	{ NVME_FID_SUPPORTED_EFFECTS_CCC, "CCC" },
	{ NVME_FID_SUPPORTED_EFFECTS_UUID_SEL, "USS" },
	SCOPES,
	{ 0, NULL },
};

static const struct out_flag mi_effects[] = {
	{ NVME_MI_CMD_SUPPORTED_EFFECTS_CSUPP, "CSUPP" },
	{ NVME_MI_CMD_SUPPORTED_EFFECTS_UDCC, "UDCC" },
	{ NVME_MI_CMD_SUPPORTED_EFFECTS_NCC, "NCC" },
	{ NVME_MI_CMD_SUPPORTED_EFFECTS_NIC, "NIC" },
	{ NVME_MI_CMD_SUPPORTED_EFFECTS_CCC, "CCC" },
	SCOPES,
	{ 0, NULL },
};
/* clang-format on */

/* Texts for a page of dwords, one for each feature or command. Bit 0 is set if it is supported. */
struct support {
	const char *title, *list, *key, *label;
	const struct out_flag *effects;
};

static const struct support features = {
	"FID Supports Effects Log for device", "fid_support", "fid", "FID", feature_effects,
};

static const struct support mi_commands = {
	"MI Commands Support Effects Log for device",
	"mi_command_support",
	"mi_cmd",
	"MI CMD",
	mi_effects,
};

static int show_support(struct command *cmd, const void *data, bool explain)
{
	const struct log_page *page = cmd->spec->row;
	const struct support *what =
		page->lid == NVME_LOG_LID_FID_SUPPORTED_EFFECTS ? &features : &mi_commands;
	const __le32 *log = data;
	struct out *out = cmd->out;

	out_text(out, "%s: %s\nAdmin Command Set\n", what->title, out_safe(out, cmd->device->name));
	out_object(out, NULL);
	out_array(out, what->list);
	for (unsigned int id = 0; id < 256; id++) {
		uint32_t value = le32toh(log[id]);
		char key[16];

		if (!(value & 1))
			continue;
		out_text(out, "%s %02x -> Support Effects Log: %08x", what->label, id, value);
		if (explain)
			log_out_effects(out, what->effects, value);
		out_text(out, "\n");
		snprintf(key, sizeof(key), "%s_%u", what->key, id);
		out_uint_object(out, key, value);
	}
	return out_ends(out, 2);
}

LOG_PAGE_COMMAND(fid_support_effects_log_command, "fid-support-effects-log",
		 "Show the Feature Identifiers Supported and Effects log", support_options,
		 LOG_ARGS(.nsid = NVME_NSID_NONE), log_page_run,
		 .lid = NVME_LOG_LID_FID_SUPPORTED_EFFECTS,
		 .size = sizeof(struct nvme_fid_supported_effects_log),
		 .what = "fid support effects log", .show = show_support);

LOG_PAGE_COMMAND(mi_cmd_support_effects_log_command, "mi-cmd-support-effects-log",
		 "Show the NVMe-MI Commands Supported and Effects log", support_options,
		 LOG_ARGS(.nsid = NVME_NSID_NONE), log_page_run,
		 .lid = NVME_LOG_LID_MI_CMD_SUPPORTED_EFFECTS,
		 .size = sizeof(struct nvme_mi_cmd_supported_effects_log),
		 .what = "mi command support effects log", .show = show_support);
