// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvme io-mgmt-recv, io-mgmt-send: NVM Express Base Specification 2.1, "I/O Management Receive" and
 * "I/O Management Send"
 */
#include "commands.h"
#include "device/request.h"

#define IO_MGMT_MAX (1U << 24) /* bytes */

struct io_mgmt_args {
	uint32_t nsid, length;
	uint16_t mos;
	uint8_t mo;
	const char *file;
};

#define IO_MGMT_OPTIONS \
	OPT(UINT, "namespace-id", 'n', struct io_mgmt_args, nsid, "N", \
	    "namespace; the device's own if left out"), \
		OPT(SHORT, "mos", 's', struct io_mgmt_args, mos, "N", \
		    "management operation specific value"), \
		OPT(BYTE, "mo", 'm', struct io_mgmt_args, mo, "N", "management operation"), \
		OPT(UINT, "data-len", 'l', struct io_mgmt_args, length, "N", "bytes of data")

static const struct request_part parts[] = {
	REQUEST_BITS(10, 0, 8, struct io_mgmt_args, mo),
	REQUEST_BITS(10, 16, 16, struct io_mgmt_args, mos),
	REQUEST_PART_END,
};

static int refuse_length(struct command *cmd)
{
	const struct io_mgmt_args *args = cmd->args;

	return command_fail(cmd, 0, "invalid data-len:%u (a multiple of 4, up to %u)", args->length,
			    IO_MGMT_MAX);
}

static const struct arg recv_options[] = {
	IO_MGMT_OPTIONS,
	OPT(STR, "data", 'd', struct io_mgmt_args, file, "FILE",
	    "file for the data; shown if left out"),
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

static int measure_io_mgmt_recv(struct command *cmd, __u32 *data_len)
{
	const struct io_mgmt_args *args = cmd->args;

	if (!args->length || args->length % 4 || args->length > IO_MGMT_MAX)
		return refuse_length(cmd);
	*data_len = args->length;
	return bytes_may_save(cmd, args->file);
}

static int build_recv(struct command *cmd, const struct device *dev, struct nvme_passthru_cmd *c)
{
	c->cdw11 = c->data_len / 4 - 1;
	return 0;
}

static int answer_io_mgmt_recv(struct command *cmd, const struct device *dev,
			       const struct nvme_passthru_cmd *c)
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
		       "I/O Management Receive, e.g. the status of reclaim units", recv_options,
		       struct io_mgmt_args, .opcode = nvme_cmd_io_mgmt_recv, .io = true,
		       .has_nsid = REQUEST_OWN_NSID, .nsid = offsetof(struct io_mgmt_args, nsid),
		       .parts = parts, .measure = measure_io_mgmt_recv, .build = build_recv,
		       .answer = answer_io_mgmt_recv);

static const struct arg send_options[] = {
	IO_MGMT_OPTIONS,
	OPT(STR, "data", 'd', struct io_mgmt_args, file, "FILE",
	    "data to send; standard input if left out"),
	GENERIC_OPTIONS,
	OPT_END,
};

static int measure_io_mgmt_send(struct command *cmd, __u32 *data_len)
{
	const struct io_mgmt_args *args = cmd->args;

	if (args->length > IO_MGMT_MAX)
		return refuse_length(cmd);
	*data_len = args->length;
	return 0;
}

static int build_io_mgmt_send(struct command *cmd, const struct device *dev,
			      struct nvme_passthru_cmd *c)
{
	const struct io_mgmt_args *args = cmd->args;

	return c->data_len ? bytes_read(cmd, args->file, request_data(c), c->data_len) : 0;
}

static int answer_io_mgmt_send(struct command *cmd, const struct device *dev,
			       const struct nvme_passthru_cmd *c)
{
	const struct io_mgmt_args *args = cmd->args;

	return command_succeed(cmd, "io-mgmt-send: Success, mos:%u mo:%u nsid:%u", args->mos,
			       args->mo, c->nsid);
}

REQUEST_COMMAND(io_mgmt_send_command, "io-mgmt-send",
		"I/O Management Send, e.g. an update of reclaim units", send_options,
		struct io_mgmt_args, .opcode = nvme_cmd_io_mgmt_send, .io = true,
		.has_nsid = REQUEST_OWN_NSID, .nsid = offsetof(struct io_mgmt_args, nsid),
		.parts = parts, .measure = measure_io_mgmt_send, .build = build_io_mgmt_send,
		.answer = answer_io_mgmt_send);
