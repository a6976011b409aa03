// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme nvme-mi-recv, nvme-mi-send: Base Specification 2.1, and NVMe-MI Specification 2.0, 4.2 */
#include "device/request.h"

#define MI_MAX (1U << 24) /* bytes */
#define MI_MESSAGE_TYPE 4U /* cdw10: message type of NVMe-MI */
#define MI_SUCCESS 0

struct mi_args {
	uint32_t nsid, length, nmd0, nmd1;
	uint8_t opcode, nmimt;
	bool has_opcode; /* 0 is a valid opcode */
	const char *file;
};
#define ARGS struct mi_args

#define MI_OPTIONS(file_help) \
	OPT_NOTED(BYTE, "opcode", 'O', ARGS, opcode, has_opcode, "N", \
		  "management command (required)"), \
		OPT(UINT, "namespace-id", 'n', ARGS, nsid, "N", "namespace"), \
		OPT(UINT, "data-len", 'l', ARGS, length, "N", "bytes of data"), \
		OPT(BYTE, "nmimt", 'm', ARGS, nmimt, "N", "NVMe-MI message type"), \
		OPT(UINT, "nmd0", '0', ARGS, nmd0, "N", "management dword 0"), \
		OPT(UINT, "nmd1", '1', ARGS, nmd1, "N", "management dword 1"), \
		OPT(STR, "input-file", 'i', ARGS, file, "FILE", file_help)

static const struct request_part parts[] = {
	REQUEST_BITS(10, 11, 4, ARGS, nmimt),
	REQUEST_BITS(11, 0, 8, ARGS, opcode),
	REQUEST_BITS(12, 0, 32, ARGS, nmd0),
	REQUEST_BITS(13, 0, 32, ARGS, nmd1),
	REQUEST_PART_END,
};

/* Response Message Status values, in the words of nvme-cli 2.x. */
static const struct name status_names[] = {
	{ 0x01,
	  "More Processing Required: The command message is in progress and requires more time to "
	  "complete processing" },
	{ 0x02,
	  "Internal Error: The request message could not be processed due to a vendor-specific error" },
	{ 0x03, "Invalid Command Opcode" },
	{ 0x04, "Invalid Parameter" },
	{ 0x05,
	  "Invalid Command Size: The size of the message body of the request was different than "
	  "expected" },
	{ 0x06,
	  "Invalid Command Input Data Size: The command requires data and contains too much or too "
	  "little data" },
	{ 0x07,
	  "Access Denied. Processing prohibited due to a vendor-specific mechanism of the Command "
	  "and Feature lockdown function" },
	{ 0x20, "VPD Updates Exceeded" },
	{ 0x21, "PCIe Inaccessible. The PCIe functionality is not available at this time" },
	{ 0x22, "Management Endpoint Buffer Cleared Due to Sanitize" },
	{ 0x23, "Enclosure Services Failure" },
	{ 0x24,
	  "Enclosure Services Transfer Failure: Communication with the Enclosure Services Process has "
	  "failed" },
	{ 0x25,
	  "An unrecoverable enclosure failure has been detected by the Enclosuer Services Process" },
	{ 0x26,
	  "Enclosure Services Transfer Refused: The NVM Subsystem or Enclosure Services Process "
	  "indicated an error or an invalid format in communication" },
	{ 0x27,
	  "Unsupported Enclosure Function: An SES Send command has been attempted to a simple "
	  "Subenclosure" },
	{ 0, NULL, NULL },
};

static int measure_nvme_mi(struct command *cmd, __u32 *data_len)
{
	const struct mi_args *args = cmd->args;

	if (!args->has_opcode)
		return command_fail(cmd, 0, "%s: opcode parameter required", cmd->name);
	if (args->length > MI_MAX)
		return command_fail(cmd, 0, "invalid data-len:%u (up to %u)", args->length, MI_MAX);
	*data_len = args->length;
	return 0;
}

/* Print the status. Leaves the JSON object open. */
static void show_status(struct command *cmd, const char *what, const struct nvme_passthru_cmd *c)
{
	const unsigned int status = c->result & 0xff, response = c->result >> 8;
	struct out *out = cmd->out;
	char text[120];

	snprintf(text, sizeof(text),
		 "NVMe-MI %s Command is Success and result: 0x%08x (status: 0x%02x, response: "
		 "0x%06x)",
		 what, c->result, status, response);
	out_text(out, "%s\n", text);
	if (status != MI_SUCCESS)
		out_text(out, "status: %s\n", name_or(status_names, status, "Unknown status"));
	out_object(out, NULL);
	out_str(out, "result", text);
	out_uint(out, "status", status);
	if (status != MI_SUCCESS)
		out_str(out, "status_text", name_or(status_names, status, "Unknown status"));
	out_uint(out, "response", response);
}

static int measure_nvme_mi_recv(struct command *cmd, __u32 *data_len)
{
	const struct mi_args *args = cmd->args;

	return measure_nvme_mi(cmd, data_len) || bytes_may_save(cmd, args->file);
}

static int answer_nvme_mi_recv(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct mi_args *args = cmd->args;

	if (args->file && bytes_save(cmd, args->file, request_data(c), c->data_len))
		return 1;
	show_status(cmd, "Receive", c);
	if (!args->file && c->data_len)
		out_dump(cmd->out, "data", request_data(c), c->data_len);
	return out_end(cmd->out);
}

REQUEST_COMMAND_BINARY(nvme_mi_recv_command, "nvme-mi-recv",
		       "NVMe-MI Receive: a command of the management interface",
		       BINARY(MI_OPTIONS("file for the data (default: print it)")), ARGS,
		       .opcode = nvme_admin_nvme_mi_recv, REQUEST_NSID(ANY, ARGS),
		       .cdw10 = MI_MESSAGE_TYPE, .parts = parts, .measure = measure_nvme_mi_recv,
		       .answer = answer_nvme_mi_recv);

static int answer_nvme_mi_send(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	show_status(cmd, "Send", c);
	return out_end(cmd->out);
}

REQUEST_COMMAND(nvme_mi_send_command, "nvme-mi-send",
		"NVMe-MI Send: a command of the management interface with data",
		GENERIC(MI_OPTIONS("data to send (default: standard input)")), ARGS,
		.opcode = nvme_admin_nvme_mi_send, REQUEST_NSID(ANY, ARGS),
		.cdw10 = MI_MESSAGE_TYPE, .parts = parts, .measure = measure_nvme_mi,
		.has_file = true, .file = offsetof(ARGS, file), .answer = answer_nvme_mi_send);
