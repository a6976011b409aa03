// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme security-send, security-recv: NVM Express Base Specification 2.1, sections 5.1.24 and 5.1.23 */
#include "device/request.h"

#define SECURITY_MAX (1U << 24) /* bytes */

struct security_args {
	uint32_t nsid;
	const char *file;
	uint8_t nssf, secp;
	uint16_t spsp;
	uint32_t length; /* in the command */
	uint32_t size; /* size of the buffer */
	bool raw;
};
#define ARGS struct security_args

#define SECURITY_OPTIONS \
	OPT(UINT, "namespace-id", 'n', ARGS, nsid, "N", "namespace"), \
		OPT(BYTE, "nssf", 'N', ARGS, nssf, "N", "NVMe security specific field"), \
		OPT(BYTE, "secp", 'p', ARGS, secp, "N", "security protocol"), \
		OPT(SHORT, "spsp", 's', ARGS, spsp, "N", "security protocol specific value")

static const struct request_part parts[] = {
	REQUEST_BITS(10, 0, 8, ARGS, nssf),
	REQUEST_BITS(10, 8, 16, ARGS, spsp),
	REQUEST_BITS(10, 24, 8, ARGS, secp),
	REQUEST_BITS(11, 0, 32, ARGS, length),
	REQUEST_PART_END,
};

static int check_size(struct command *cmd, const char *option, uint32_t size)
{
	return size > SECURITY_MAX ? command_fail(cmd, 0, "invalid %s:%u (up to %u)", option, size,
						  SECURITY_MAX)
				   : 0;
}

static int measure_security_send(struct command *cmd, __u32 *data_len)
{
	const struct security_args *args = cmd->args;

	if (!args->length)
		return command_fail(cmd, 0, "--tl unspecified or zero");
	if (check_size(cmd, "tl", args->length))
		return 1;
	if (args->length % 4)
		command_warn(cmd, 0,
			     "WARNING: --tl not dword aligned; unaligned bytes may be truncated");
	*data_len = args->length;
	return 0;
}

REQUEST_COMMAND(security_send_command, "security-send", "Send data of a security protocol",
		OPTIONS(SECURITY_OPTIONS,
			OPT(STR, "file", 'f', ARGS, file, "FILE",
			    "data to send (default: standard input)"),
			OPT(UINT, "tl", 't', ARGS, length, "N", "bytes to send (required)"),
			GENERIC_OPTIONS_WITHOUT_T),
		ARGS, .opcode = nvme_admin_security_send, REQUEST_NSID(ANY, ARGS), .parts = parts,
		.measure = measure_security_send, .has_file = true, .file = offsetof(ARGS, file),
		.success = "NVME Security Send Command Success");

static int measure_security_recv(struct command *cmd, __u32 *data_len)
{
	const struct security_args *args = cmd->args;

	if (check_size(cmd, "size", args->size))
		return 1;
	if (args->length > args->size)
		return command_fail(cmd, 0, "invalid al:%u (up to --size, which is %u)",
				    args->length, args->size);
	*data_len = args->size;
	return 0;
}

static int answer_security_recv(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	struct out *out = cmd->out;

	out_text(out, "NVME Security Receive Command Success\n");
	out_object(out, NULL);
	out_dump(out, "data", request_data(c), c->data_len);
	return out_end(out);
}

REQUEST_COMMAND_BINARY(security_recv_command, "security-recv",
		       "Receive data of a security protocol",
		       OPTIONS(SECURITY_OPTIONS,
			       OPT(UINT, "size", 'x', ARGS, size, "N", "bytes of the buffer"),
			       OPT(UINT, "al", 't', ARGS, length, "N",
				   "bytes that the controller may send, up to --size"),
			       OPT_FLAG("raw-binary", 'b', ARGS, raw, "write only the raw bytes"),
			       OPT_FORMAT_BINARY, OPT_VERBOSE, OPT_TIMEOUT(0), OPT_SENDING),
		       ARGS, .opcode = nvme_admin_security_recv, REQUEST_NSID(ANY, ARGS),
		       .parts = parts, .measure = measure_security_recv,
		       .answer = answer_security_recv);
