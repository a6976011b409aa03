// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme admin-passthru, io-passthru: send any command */
#include "device/device.h"
#include "opcodes.h"

#define MAX_TRANSFER (1U << 24)

struct passthru_args {
	uint8_t opcode, flags, prefill;
	uint16_t rsvd;
	uint32_t nsid, data_len, metadata_len, cdw2, cdw3, cdw10, cdw11, cdw12, cdw13, cdw14, cdw15;
	const char *input, *metadata;
	bool has_opcode, raw, show, read, write, latency;
};
#define ARGS struct passthru_args

#define DWORD(number, letter) \
	OPT(UINT, "cdw" #number, letter, ARGS, cdw##number, "N", "command dword " #number)

static const struct arg passthru_options[] = {
	OPT_NOTED(BYTE, "opcode", 'O', ARGS, opcode, has_opcode, "N", "opcode (required)"),
	OPT(BYTE, "flags", 'f', ARGS, flags, "N", "command flags"),
	OPT(BYTE, "prefill", 'p', ARGS, prefill, "N", "byte to fill buffers with"),
	OPT(SHORT, "rsvd", 'R', ARGS, rsvd, "N", "reserved field"),
	OPT(UINT, "namespace-id", 'n', ARGS, nsid, "N", "namespace"),
	OPT(UINT, "data-len", 'l', ARGS, data_len, "N", "bytes of data"),
	OPT(UINT, "metadata-len", 'm', ARGS, metadata_len, "N", "bytes of metadata"),
	DWORD(2, '2'),
	DWORD(3, '3'),
	DWORD(10, '4'),
	DWORD(11, '5'),
	DWORD(12, '6'),
	DWORD(13, '7'),
	DWORD(14, '8'),
	DWORD(15, '9'),
	OPT(STR, "input-file", 'i', ARGS, input, "FILE",
	    "data to write, or file for data read (default: standard input or output)"),
	OPT(STR, "metadata", 'M', ARGS, metadata, "FILE", "the same for metadata"),
	OPT_FLAG("raw-binary", 'b', ARGS, raw, "write the data's bytes"),
	OPT_FLAG("show-command", 's', ARGS, show, "show the command"),
	OPT_COMMON(FLAG, "dry-run", 'd', dry_run, NULL, "show the command without sending it"),
	OPT_FLAG("read", 'r', ARGS, read,
		 "read data from the device (default: according to the opcode)"),
	OPT_FLAG("write", 'w', ARGS, write,
		 "write data to the device (default: according to the opcode)"),
	OPT_FLAG("latency", 'T', ARGS, latency, "show the duration of the command"),
	OPT_VERBOSE,
	OPT_FORMAT_BINARY,
	OPT_COMMON(UINT, "timeout", 't', timeout, "MS", "timeout"),
	OPT_COMMON_LATE(FLAG, "no-retries", 0, no_retries, NULL,
			"do not repeat interrupted commands"),
	OPT_COMMON_LATE(INT, "output-format-version", 0, format_version, "N",
			"layout of JSON, 1 or 2"),
	OPT_END,
};

/* Data and metadata of a command. */
struct payload {
	unsigned char *data, *metadata;
	bool to_device, from_device;
};

static void payload_free_cleanup(struct payload *payload)
{
	free(payload->data);
	free(payload->metadata);
}

/* Require --opcode: 0, the default, would delete a queue. */
static int check_passthru_command(struct command *cmd, const struct passthru_args *args)
{
	if (!args->has_opcode)
		return command_fail(cmd, 0, "opcode required param (e.g. --opcode=0x06)");
	if (args->data_len > MAX_TRANSFER || args->metadata_len > MAX_TRANSFER)
		return command_fail(cmd, 0, "Invalid length: one command transfers up to %u bytes",
				    MAX_TRANSFER);
	if (args->read && args->write)
		return command_fail(
			cmd, 0,
			"cannot specify --read and --write together: the kernel transfers data in "
			"one direction per command");
	return 0;
}

/* The kernel takes the direction from bit 0 of the opcode: nvme_is_write() in linux/nvme.h. */
static void warn_of_direction(struct command *cmd, const struct passthru_args *args)
{
	if (args->read && (args->opcode & 1))
		command_warn(cmd, 0,
			     "opcode 0x%02x transfers to the controller: --read shows the buffer "
			     "as it was sent",
			     args->opcode);
	else if (args->write && !(args->opcode & 1))
		command_warn(
			cmd, 0,
			"opcode 0x%02x transfers no data to the controller: --write has no effect",
			args->opcode);
}

static int decide_direction(struct command *cmd, const struct passthru_args *args,
			    struct payload *payload)
{
	enum passthru_transfer transfer = passthru_transfer(args->opcode);

	payload->to_device = args->write;
	payload->from_device = args->read;
	if (!args->data_len && !args->metadata_len)
		return 0;
	if (args->read || args->write) {
		if (args->opcode != nvme_admin_fabrics)
			warn_of_direction(cmd, args);
		return 0;
	}
	payload->to_device = transfer == PASSTHRU_TO_DEVICE;
	payload->from_device = transfer == PASSTHRU_FROM_DEVICE;
	if (payload->to_device || payload->from_device)
		return 0;
	return command_fail(cmd, 0,
			    "data direction not given: opcode 0x%02x transfers %s (its bits 1:0), "
			    "use --read or --write",
			    args->opcode,
			    transfer == PASSTHRU_NO_DATA ? "no data" : "data both ways");
}

/* Refuse a file that would not be sent, or that the answer cannot be written to. */
static int check_files(struct command *cmd, const struct passthru_args *args,
		       const struct payload *payload)
{
	if (payload->from_device && ((args->data_len && bytes_may_save(cmd, args->input)) ||
				     (args->metadata_len && bytes_may_save(cmd, args->metadata))))
		return 1;
	if (!payload->to_device)
		return 0;
	if (args->input && !args->data_len)
		return command_fail(cmd, 0, "--input-file is sent only with --data-len");
	if (args->metadata && !args->metadata_len)
		return command_fail(cmd, 0, "--metadata is sent only with --metadata-len");
	return 0;
}

static int prepare_passthru_command(struct command *cmd, const struct passthru_args *args,
				    struct payload *payload)
{
	if (decide_direction(cmd, args, payload) || check_files(cmd, args, payload))
		return 1;
	payload->data = malloc(args->data_len + 1U);
	payload->metadata = malloc(args->metadata_len + 1U);
	if (!payload->data || !payload->metadata)
		return command_fail(cmd, ENOMEM, "%s", cmd->name);
	memset(payload->data, args->prefill, args->data_len);
	memset(payload->metadata, args->prefill, args->metadata_len);
	if (!payload->to_device)
		return 0;
	if (args->data_len && bytes_read(cmd, args->input, payload->data, args->data_len))
		return 1;
	return args->metadata
		       ? bytes_read(cmd, args->metadata, payload->metadata, args->metadata_len)
		       : 0;
}

static int show_bytes(struct command *cmd, const char *key, const char *path,
		      const unsigned char *bytes, size_t length)
{
	if (!length)
		return 0;
	if (path)
		return bytes_save(cmd, path, bytes, length);
	if (command_writes_bytes(cmd))
		return bytes_write(cmd, bytes, length);
	out_dump(cmd->out, key, bytes, length);
	return 0;
}

static void print_line(FILE *stream, const struct command *cmd, bool admin, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Print "Admin Command Identify <fmt>". */
static void print_line(FILE *stream, const struct command *cmd, bool admin, const char *fmt, ...)
{
	const struct passthru_args *args = cmd->args;
	va_list ap;

	fprintf(stream, "%s Command %s ", admin ? "Admin" : "IO",
		passthru_opcode_name(admin, args->opcode));
	va_start(ap, fmt);
	vfprintf(stream, fmt, ap);
	va_end(ap);
}

/* The result goes to stderr, as in nvme-cli 2.x, because standard output is for data. */
static int show_passthru_command(struct command *cmd, bool admin, uint32_t result,
				 const struct payload *payload)
{
	const struct passthru_args *args = cmd->args;
	struct out *out = cmd->out;

	out_flush(out);
	print_line(stderr, cmd, admin, "is Success and result: 0x%08x\n", result);
	if (!command_writes_bytes(cmd)) {
		out_object(out, NULL);
		out_uint(out, "opcode", args->opcode);
		out_uint(out, "result", result);
	}
	if (payload->from_device &&
	    (show_bytes(cmd, "data", args->input, payload->data, args->data_len) ||
	     show_bytes(cmd, "metadata", args->metadata, payload->metadata, args->metadata_len)))
		return 1;
	return command_writes_bytes(cmd) ? 0 : out_end(out);
}

static int submit_passthru_command(struct command *cmd, bool admin, int fd,
				   const struct payload *payload, uint32_t *result)
{
	const struct passthru_args *args = cmd->args;
	FILE *notes = command_has_text(cmd) ? stdout : stderr;
	uint64_t start;
	int ret;

	if (args->show)
		passthru_show(notes);
	start = passthru_clock();
	ret = (admin ? nvme_admin_passthru : nvme_io_passthru)(
		fd, args->opcode, args->flags, args->rsvd, args->nsid, args->cdw2, args->cdw3,
		args->cdw10, args->cdw11, args->cdw12, args->cdw13, args->cdw14, args->cdw15,
		args->data_len, args->data_len ? payload->data : NULL, args->metadata_len,
		args->metadata_len ? payload->metadata : NULL, cmd->common.timeout, result);
	if (args->latency && !cmd->common.dry_run)
		print_line(notes, cmd, admin, "latency: %" PRIu64 " us\n",
			   passthru_clock() - start);
	return ret;
}

static int run(struct command *cmd)
{
	const bool admin = cmd->spec == &admin_passthru_command;
	const struct passthru_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(payload_free) struct payload payload = { 0 };
	uint32_t result = 0;
	int ret;

	if (check_passthru_command(cmd, args) || device_open(cmd, &dev) ||
	    prepare_passthru_command(cmd, args, &payload))
		return 1;
	ret = submit_passthru_command(cmd, admin, dev.fd, &payload, &result);
	if (cmd->common.dry_run)
		return 0;
	return ret ? device_result(cmd, ret, "passthru")
		   : show_passthru_command(cmd, admin, result, &payload);
}

DEVICE_COMMAND_BINARY(admin_passthru_command, "admin-passthru", "Send any admin command",
		      passthru_options, ARGS, .run = run);
DEVICE_COMMAND_BINARY(io_passthru_command, "io-passthru", "Send any I/O command", passthru_options,
		      ARGS, .run = run);
