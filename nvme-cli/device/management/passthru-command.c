// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme admin-passthru, io-passthru: any command at all */
#include <errno.h>
#include <string.h>

#include "commands.h"
#include "device/device.h"

#define MAX_TRANSFER (1U << 24)

struct passthru_args {
	uint8_t opcode;
	uint8_t flags;
	uint8_t prefill;
	uint16_t rsvd;
	uint32_t nsid;
	uint32_t data_len;
	uint32_t metadata_len;
	uint32_t cdw2, cdw3, cdw10, cdw11, cdw12, cdw13, cdw14, cdw15;
	const char *input;
	const char *metadata;
	bool raw;
	bool show;
	bool dry_run;
	bool read;
	bool write;
	bool latency;
};

#define DWORD(number, letter) \
	OPT(UINT, "cdw" #number, letter, struct passthru_args, cdw##number, "N", \
	    "command dword " #number)

static const struct arg passthru_options[] = {
	OPT(BYTE, "opcode", 'O', struct passthru_args, opcode, "N", "opcode"),
	OPT(BYTE, "flags", 'f', struct passthru_args, flags, "N", "command flags"),
	OPT(BYTE, "prefill", 'p', struct passthru_args, prefill, "N", "byte to fill buffers with"),
	OPT(SHORT, "rsvd", 'R', struct passthru_args, rsvd, "N", "reserved field"),
	OPT(UINT, "namespace-id", 'n', struct passthru_args, nsid, "N", "namespace"),
	OPT(UINT, "data-len", 'l', struct passthru_args, data_len, "N", "bytes of data"),
	OPT(UINT, "metadata-len", 'm', struct passthru_args, metadata_len, "N",
	    "bytes of metadata"),
	DWORD(2, '2'),
	DWORD(3, '3'),
	DWORD(10, '4'),
	DWORD(11, '5'),
	DWORD(12, '6'),
	DWORD(13, '7'),
	DWORD(14, '8'),
	DWORD(15, '9'),
	OPT(STR, "input-file", 'i', struct passthru_args, input, "FILE",
	    "data to write, or file for data read; standard input or output if left out"),
	OPT(STR, "metadata", 'M', struct passthru_args, metadata, "FILE", "the same for metadata"),
	OPT_FLAG("raw-binary", 'b', struct passthru_args, raw, "write the data's bytes"),
	OPT_FLAG("show-command", 's', struct passthru_args, show, "show the command"),
	OPT_FLAG("dry-run", 'd', struct passthru_args, dry_run,
		 "show the command without sending it"),
	OPT_FLAG("read", 'r', struct passthru_args, read, "data comes from the device"),
	OPT_FLAG("write", 'w', struct passthru_args, write, "data goes to the device"),
	OPT_FLAG("latency", 'T', struct passthru_args, latency, "show the duration of the command"),
	OPT_VERBOSE,
	OPT_FORMAT_BINARY,
	OPT_COMMON(UINT, "timeout", 't', timeout, "MS", "timeout"),
	OPT_COMMON(FLAG, "no-retries", 0, no_retries, NULL, "do not repeat interrupted commands"),
	OPT_COMMON(INT, "output-format-version", 0, format_version, "N", "layout of the output"),
	OPT_END,
};

static int show_data(struct command *cmd, const unsigned char *data)
{
	const struct passthru_args *args = cmd->args;
	struct out *out = cmd->out;

	if (args->input)
		return bytes_save(cmd, args->input, data, args->data_len);
	if (args->raw || out_format(out) == OUT_BINARY)
		return bytes_write(cmd, data, args->data_len);
	out_dump(out, "data", data, args->data_len);
	return 0;
}

static int run(struct command *cmd, bool admin)
{
	const struct passthru_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(free) unsigned char *data = NULL, *metadata = NULL;
	struct common_args traced = cmd->common;
	struct out *out = cmd->out;
	__u32 result = 0;
	int ret;

	if (args->data_len > MAX_TRANSFER || args->metadata_len > MAX_TRANSFER)
		return command_fail(cmd, 0, "Invalid length: one command transfers up to %u bytes",
				    MAX_TRANSFER);
	if (args->data_len && !args->read && !args->write)
		return command_fail(cmd, 0, "need to set --read or --write with --data-len");
	if (args->read && args->write)
		return command_fail(cmd, 0, "--read and --write cannot go together");
	if (device_open(cmd, &dev))
		return 1;
	data = malloc(args->data_len + 1U);
	metadata = malloc(args->metadata_len + 1U);
	if (!data || !metadata)
		return command_fail(cmd, ENOMEM, "%s", cmd->name);
	memset(data, args->prefill, args->data_len);
	memset(metadata, args->prefill, args->metadata_len);
	if (args->write && args->data_len && bytes_read(cmd, args->input, data, args->data_len))
		return 1;
	if (args->write && args->metadata &&
	    bytes_read(cmd, args->metadata, metadata, args->metadata_len))
		return 1;

	traced.dry_run = args->dry_run;
	if (args->show || args->latency)
		traced.verbose = 2;
	passthru_setup(&traced, out_is_json(out) || args->raw);
	ret = (admin ? nvme_admin_passthru : nvme_io_passthru)(
		dev.fd, args->opcode, args->flags, args->rsvd, args->nsid, args->cdw2, args->cdw3,
		args->cdw10, args->cdw11, args->cdw12, args->cdw13, args->cdw14, args->cdw15,
		args->data_len, args->data_len ? data : NULL, args->metadata_len,
		args->metadata_len ? metadata : NULL, cmd->common.timeout, &result);
	if (args->dry_run)
		return 0;
	if (ret)
		return device_result(cmd, ret, "passthru");
	if (!args->raw)
		out_text(out, "%s Command %02x is Success and result: 0x%08x\n",
			 admin ? "Admin" : "IO", args->opcode, result);
	out_object(out, NULL);
	out_uint(out, "opcode", args->opcode);
	out_uint(out, "result", result);
	if (args->read && args->data_len && show_data(cmd, data))
		return 1;
	return out_end(out);
}

static int admin_passthru(struct command *cmd)
{
	return run(cmd, true);
}

const struct command_spec admin_passthru_command = {
	.name = "admin-passthru",
	.summary = "Send any admin command",
	.operands = "DEVICE",
	.options = passthru_options,
	.args_size = sizeof(struct passthru_args),
	.formats = OUT_TEXT | OUT_JSON | OUT_BINARY,
	.max_operands = 1,
	.run = admin_passthru,
};

static int io_passthru(struct command *cmd)
{
	return run(cmd, false);
}

const struct command_spec io_passthru_command = {
	.name = "io-passthru",
	.summary = "Send any I/O command",
	.operands = "DEVICE",
	.options = passthru_options,
	.args_size = sizeof(struct passthru_args),
	.formats = OUT_TEXT | OUT_JSON | OUT_BINARY,
	.max_operands = 1,
	.run = io_passthru,
};
