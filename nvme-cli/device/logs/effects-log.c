// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme effects-log: Commands Supported and Effects (log page 05h), by command set */
#include "device/features/registers.h"
#include "device/management/opcodes.h"
#include "log-page.h"

#define VENDOR_SPECIFIC 0xc0 /* first vendor specific opcode of Admin commands */
#define IO_VENDOR_SPECIFIC 0x80
#define RULE "--------------------------------------------------------------------------------\n"

static const struct out_flag command_effects[] = {
	{ NVME_CMD_EFFECTS_CSUPP, "CSUPP" },
	{ NVME_CMD_EFFECTS_LBCC, "LBCC" },
	{ NVME_CMD_EFFECTS_NCC, "NCC" },
	{ NVME_CMD_EFFECTS_NIC, "NIC" },
	{ NVME_CMD_EFFECTS_CCC, "CCC" },
	{ NVME_CMD_EFFECTS_UUID_SEL, "USS" },
	{ 0, NULL },
};

/* The opcodes of a command set for one kind of queue; @prefix starts text and JSON keys. */
struct opcodes {
	const char *prefix;
	bool admin;
	const __le32 *effects;
};

void log_out_effects(struct out *out, const struct out_flag *effects, uint32_t value)
{
	for (; effects->name; effects++)
		out_text(out, "  %s%c", effects->name, value & effects->bit ? '+' : '-');
}

static const char *opcode_name(const struct opcodes *opcodes, unsigned int opcode)
{
	const char *name = passthru_opcode_name(opcodes->admin, (uint8_t)opcode);

	return strcmp(name, "Vendor Specific") ? name : "Unknown";
}

static void show_opcode(struct out *out, const struct opcodes *opcodes, unsigned int opcode,
			uint32_t value, bool explain)
{
	const char *name = opcode_name(opcodes, opcode);
	char key[96];

	out_text(out, "%s%-*u[%-32s] %08x", opcodes->prefix, opcodes->admin ? 6 : 5, opcode, name,
		 value);
	if (explain) {
		log_out_effects(out, command_effects, value);
		out_text(out, "  %s\n  %s",
			 bits_word(WORDS("No CSER defined", "No admin command for any namespace",
					 "Reserved CSER"),
				   value >> 14 & 3),
			 bits_word(WORDS("No command restriction",
					 "No other command for same namespace",
					 "No other command for any namespace", "Reserved CSE"),
				   value >> 16 & 7));
	}
	out_text(out, "\n");
	snprintf(key, sizeof(key), "%s_%u (%s)", opcodes->prefix, opcode, name);
	out_uint(out, key, value);
}

/* Print the supported opcodes from @first to before @end, after @title if there are any. */
static void show_opcodes(struct out *out, const struct opcodes *opcodes, const char *title,
			 unsigned int first, unsigned int end, bool explain)
{
	bool titled = false;

	for (unsigned int opcode = first; opcode < end; opcode++) {
		uint32_t value = le32toh(opcodes->effects[opcode]);

		if (!(value & NVME_CMD_EFFECTS_CSUPP))
			continue;
		if (!titled)
			out_text(out, "%s\n", title);
		titled = true;
		show_opcode(out, opcodes, opcode, value, explain);
	}
	if (titled)
		out_text(out, "\n");
}

static void show_command_set(struct out *out, unsigned int csi,
			     const struct nvme_cmd_effects_log *log, bool explain)
{
	const struct opcodes admin = { "ACS", true, log->acs }, io = { "IOCS", false, log->iocs };

	out_text(out, "%s\n" RULE,
		 bits_word(WORDS("NVM Command Set Log Page", "KV Command Set Log Page",
				 "ZNS Command Set Log Page", "Unknown Command Set Log Page"),
			   csi));
	out_object(out, NULL);
	out_uint(out, "command_set_identifier", csi);
	out_object(out, "admin_cmd_set");
	show_opcodes(out, &admin, "Admin Commands", 0, VENDOR_SPECIFIC, explain);
	show_opcodes(out, &admin, "Vendor Specific Admin Commands", VENDOR_SPECIFIC, 256, explain);
	out_end(out);
	out_object(out, "io_cmd_set");
	show_opcodes(out, &io, "I/O Commands", 0, IO_VENDOR_SPECIFIC, explain);
	show_opcodes(out, &io, "Vendor Specific I/O Commands", IO_VENDOR_SPECIFIC, 256, explain);
	out_ends(out, 2);
}

/* Read and print the log of each of the @n command sets, the last one first, as in nvme-cli 2.x. */
static int show_command_sets(struct command *cmd, const unsigned int *sets, unsigned int n)
{
	struct log_page_args *args = cmd->args;
	bool explain = args->human || cmd->common.verbose;
	struct nvme_cmd_effects_log logs[2] = { 0 };
	int ret;

	for (unsigned int i = 0; i < n; i++) {
		args->csi = (uint8_t)sets[i];
		ret = log_page_read(cmd, NVME_LOG_LID_CMD_EFFECTS, 0, &logs[i], sizeof(logs[i]));
		if (ret)
			return device_result(cmd, ret, "effects log page");
	}
	if (command_writes_bytes(cmd))
		return bytes_write(cmd, logs, n * sizeof(logs[0]));
	out_array(cmd->out, NULL);
	while (n--)
		show_command_set(cmd->out, sets[n], &logs[n], explain);
	return out_end(cmd->out);
}

static int effects_log(struct command *cmd)
{
	const struct log_page_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	unsigned int sets[2], n = 0;
	uint64_t cap = 0;

	/* -1 is the default in nvme-cli 2.x. */
	const bool one = args->csi_given && args->csi_number != -1;

	if (one && (args->csi_number < 0 || args->csi_number > UINT8_MAX))
		return command_fail(cmd, 0, "Invalid --csi %d: use 0 to 255", args->csi_number);
	if (device_open(cmd, &dev))
		return 1;
	if (one) {
		sets[n++] = (unsigned int)args->csi_number;
		return show_command_sets(cmd, sets, n);
	}
	if (feature_read_cap(cmd, &dev, &cap))
		return 1;
	if (NVME_CAP_CSS(cap) & NVME_CAP_CSS_NVM)
		sets[n++] = NVME_CSI_NVM;
	if (NVME_CAP_CSS(cap) & NVME_CAP_CSS_CSI)
		sets[n++] = NVME_CSI_ZNS;
	return show_command_sets(cmd, sets, n);
}

DEVICE_COMMAND_BINARY(effects_log_command, "effects-log",
		      "Show the Commands Supported and Effects log",
		      BINARY(LOG_PAGE_OPT_HUMAN, LOG_PAGE_OPT_RAW,
			     OPT_NOTED(INT, "csi", 'c', struct log_page_args, csi_number, csi_given,
				       "N", "command set (default: all of the controller)")),
		      struct log_page_args,
		      .defaults = &(const struct log_page_args){ .nsid = NVME_NSID_ALL },
		      .run = effects_log);
