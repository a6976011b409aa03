// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme io-mgmt-recv, io-mgmt-send: Base Specification 2.1, "I/O Management Receive" and "Send" */
#include "device/request.h"

#define IO_MGMT_MAX (1U << 24) /* bytes */

struct io_mgmt_args {
	uint32_t nsid, length;
	uint16_t mos;
	uint8_t mo;
	const char *file;
};
#define ARGS struct io_mgmt_args

#define IO_MGMT_OPTIONS \
	OPT_NSID(ARGS), \
		OPT(SHORT, "mos", 's', ARGS, mos, "N", "management operation specific value"), \
		OPT(BYTE, "mo", 'm', ARGS, mo, "N", "management operation"), \
		OPT(UINT, "data-len", 'l', ARGS, length, "N", "bytes of data")

static const struct request_part parts[] = {
	REQUEST_BITS(10, 0, 8, ARGS, mo),
	REQUEST_BITS(10, 16, 16, ARGS, mos),
	REQUEST_PART_END,
};

static int refuse_length(struct command *cmd)
{
	const struct io_mgmt_args *args = cmd->args;

	return command_fail(cmd, 0, "invalid data-len:%u (a multiple of 4, up to %u)", args->length,
			    IO_MGMT_MAX);
}

static int measure_io_mgmt_recv(struct command *cmd, __u32 *data_len)
{
	const struct io_mgmt_args *args = cmd->args;

	if (!args->length || args->length % 4 || args->length > IO_MGMT_MAX)
		return refuse_length(cmd);
	*data_len = args->length;
	return bytes_may_save(cmd, args->file);
}

static int build_recv(struct command *cmd, struct nvme_passthru_cmd *c)
{
	c->cdw11 = c->data_len / 4 - 1;
	return 0;
}

static int answer_io_mgmt_recv(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct io_mgmt_args *args = cmd->args;
	struct out *out = cmd->out;

	if (args->file && bytes_save(cmd, args->file, request_data(c), c->data_len))
		return 1;
	if (args->file)
		return command_succeed(cmd, "io-mgmt-recv: Success, mos:%u mo:%u nsid:%u",
				       args->mos, args->mo, c->nsid);
	out_text(out, "io-mgmt-recv: Success, mos:%u mo:%u nsid:%u\n", args->mos, args->mo,
		 c->nsid);
	out_object(out, NULL);
	out_dump(out, "data", request_data(c), c->data_len);
	return out_end(out);
}

REQUEST_COMMAND_BINARY(io_mgmt_recv_command, "io-mgmt-recv",
		       "I/O Management Receive, e.g. the status of reclaim units",
		       BINARY(IO_MGMT_OPTIONS, OPT(STR, "data", 'd', ARGS, file, "FILE",
						   "file for the data (default: print it)")),
		       ARGS, .opcode = nvme_cmd_io_mgmt_recv, .io = true, REQUEST_NSID(OWN, ARGS),
		       .parts = parts, .measure = measure_io_mgmt_recv, .build = build_recv,
		       .answer = answer_io_mgmt_recv);

static int measure_io_mgmt_send(struct command *cmd, __u32 *data_len)
{
	const struct io_mgmt_args *args = cmd->args;

	if (args->length > IO_MGMT_MAX)
		return refuse_length(cmd);
	*data_len = args->length;
	return 0;
}

static int answer_io_mgmt_send(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct io_mgmt_args *args = cmd->args;

	return command_succeed(cmd, "io-mgmt-send: Success, mos:%u mo:%u nsid:%u", args->mos,
			       args->mo, c->nsid);
}

REQUEST_COMMAND(io_mgmt_send_command, "io-mgmt-send",
		"I/O Management Send, e.g. an update of reclaim units",
		GENERIC(IO_MGMT_OPTIONS, OPT(STR, "data", 'd', ARGS, file, "FILE",
					     "data to send (default: standard input)")),
		ARGS, .opcode = nvme_cmd_io_mgmt_send, .io = true, REQUEST_NSID(OWN, ARGS),
		.parts = parts, .measure = measure_io_mgmt_send, .has_file = true,
		.file = offsetof(ARGS, file), .answer = answer_io_mgmt_send);
