// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme dir-send, dir-receive: NVM Express Base Specification 2.1, section 8.1.8 */
#include "device/request.h"

#define DIRECTIVE_MAX (1U << 20) /* bytes */
#define IDENTIFY_SIZE 4096
#define STREAMS_SIZE 32
#define STREAMS_STATUS_SIZE (1U << 17)

struct dir_args {
	uint32_t nsid, length;
	uint8_t dtype, doper;
	uint16_t dspec, ttype, endir, nsr;
	bool human, raw;
	const char *file;
};
#define ARGS struct dir_args

#define DIR_OPTIONS \
	OPT_NSID(ARGS), OPT(UINT, "data-len", 'l', ARGS, length, "N", "bytes of data"), \
		OPT(BYTE, "dir-type", 'D', ARGS, dtype, "N", \
		    "directive type: 0 identify, 1 streams"), \
		OPT(SHORT, "dir-spec", 'S', ARGS, dspec, "N", "directive specific value"), \
		OPT(BYTE, "dir-oper", 'O', ARGS, doper, "N", "operation (required)"), \
		OPT_FLAG("human-readable", 'H', ARGS, human, "explain the data"), \
		OPT_FLAG("raw-binary", 'b', ARGS, raw, "write only the raw bytes")

#define DIR_PARTS \
	REQUEST_BITS(11, 0, 8, ARGS, doper), REQUEST_BITS(11, 8, 8, ARGS, dtype), \
		REQUEST_BITS(11, 16, 16, ARGS, dspec)

static int refuse_operation(struct command *cmd, const char *directives, int last)
{
	const struct dir_args *args = cmd->args;

	return command_fail(
		cmd, 0, "invalid directive operations for %s Directives: %u (--dir-oper=1 to %d)",
		directives, args->doper, last);
}

static int check_operation(struct command *cmd, int last_of_streams)
{
	const struct dir_args *args = cmd->args;

	switch (args->dtype) {
	case NVME_DIRECTIVE_DTYPE_IDENTIFY:
		return args->doper == 1 ? 0 : refuse_operation(cmd, "Identify", 1);
	case NVME_DIRECTIVE_DTYPE_STREAMS:
		return args->doper && args->doper <= last_of_streams
			       ? 0
			       : refuse_operation(cmd, "Streams", last_of_streams);
	default:
		return command_fail(cmd, 0, "invalid directive type: %u (--dir-type=0 or 1)",
				    args->dtype);
	}
}

static int check_length(struct command *cmd)
{
	const struct dir_args *args = cmd->args;

	if (args->length % 4 || args->length > DIRECTIVE_MAX)
		return command_fail(cmd, 0, "invalid data-len:%u (a multiple of 4, up to %u)",
				    args->length, DIRECTIVE_MAX);
	return 0;
}

static int build_length(struct command *cmd, struct nvme_passthru_cmd *c)
{
	c->cdw10 = c->data_len ? c->data_len / 4 - 1 : 0;
	return 0;
}

static int measure_directives_send(struct command *cmd, __u32 *data_len)
{
	const struct dir_args *args = cmd->args;

	if (check_operation(cmd, 2) || check_length(cmd))
		return 1;
	if (args->dtype == NVME_DIRECTIVE_DTYPE_IDENTIFY && !args->ttype)
		return command_fail(cmd, 0, "target-dir required param");
	*data_len = args->length;
	return 0;
}

static int answer_directives_send(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct dir_args *args = cmd->args;
	struct out *out = cmd->out;

	if (command_writes_bytes(cmd))
		return bytes_write(cmd, request_data(c), c->data_len);
	if (command_succeed(cmd,
			    "dir-send: type %#x, operation %#x, spec_val %#x, nsid %#x, result %#x",
			    args->dtype, args->doper, args->dspec, c->nsid, c->result))
		return 1;
	if (!out_is_json(out) && c->data_len)
		out_dump(out, NULL, request_data(c), c->data_len);
	return 0;
}

REQUEST_COMMAND_BINARY(dir_send_command, "dir-send", "Enable, disable or configure a directive",
		       BINARY(DIR_OPTIONS,
			      OPT(SHORT, "target-dir", 'T', ARGS, ttype, "N",
				  "directive to be enabled or disabled"),
			      OPT(SHORT, "endir", 'e', ARGS, endir, "N",
				  "1 enables it, 0 disables it"),
			      OPT(STR, "input-file", 'i', ARGS, file, "FILE",
				  "data to send (default: standard input)")),
		       ARGS, .opcode = nvme_admin_directive_send, REQUEST_NSID(OWN, ARGS),
		       .parts = REQUEST_PARTS(DIR_PARTS, REQUEST_BITS(12, 0, 1, ARGS, endir),
					      REQUEST_PART(12, 8, 8, ARGS, ttype, "target-dir")),
		       .measure = measure_directives_send, .build = build_length, .has_file = true,
		       .file = offsetof(ARGS, file), .answer = answer_directives_send);

enum {
	STREAMS_PARAMETERS = NVME_DIRECTIVE_RECEIVE_STREAMS_DOPER_PARAM,
	STREAMS_STATUS = NVME_DIRECTIVE_RECEIVE_STREAMS_DOPER_STATUS,
	STREAMS_RESOURCE = NVME_DIRECTIVE_RECEIVE_STREAMS_DOPER_RESOURCE,
};

static int measure_receive(struct command *cmd, __u32 *data_len)
{
	const struct dir_args *args = cmd->args;

	if (check_operation(cmd, STREAMS_RESOURCE) || check_length(cmd))
		return 1;
	*data_len = args->length;
	if (args->length)
		return 0;
	if (args->dtype == NVME_DIRECTIVE_DTYPE_IDENTIFY)
		*data_len = IDENTIFY_SIZE;
	else if (args->doper == STREAMS_PARAMETERS)
		*data_len = STREAMS_SIZE;
	else if (args->doper == STREAMS_STATUS)
		*data_len = STREAMS_STATUS_SIZE;
	return 0;
}

/* Only the operation that allocates streams uses cdw12, for their number (16 bits). */
static int build_receive(struct command *cmd, struct nvme_passthru_cmd *c)
{
	const struct dir_args *args = cmd->args;

	if (args->dtype != NVME_DIRECTIVE_DTYPE_STREAMS || args->doper != STREAMS_RESOURCE)
		c->cdw12 = 0;
	return build_length(cmd, c);
}

static bool has_bit(const struct nvme_passthru_cmd *c, unsigned int byte, unsigned int bit)
{
	return byte < c->data_len && ((const __u8 *)request_data(c))[byte] >> bit & 1;
}

/* Print one bitmap of the Return Parameters, which has a bit for each directive. */
static void show_directives(struct out *out, const struct nvme_passthru_cmd *c, unsigned int at,
			    const char *title, const char *yes, const char *no)
{
	static const char *const names[] = {
		"Identify Directive",
		"Stream Directive",
		"Data Placement Directive",
	};

	out_text(out, "\t%s\n", title);
	out_object(out, title);
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *state = has_bit(c, at, i) ? yes : no;

		out_text(out, "\t\t%-24s : %s\n", names[i], state);
		out_str(out, names[i], state);
	}
	out_end(out);
}

static void show_identify(struct out *out, const struct nvme_passthru_cmd *c)
{
	show_directives(out, c, 0, "Directive support", "supported", "not supported");
	show_directives(out, c, 32, "Directive enabled", "enabled", "disabled");
	show_directives(out, c, 64, "Directive Persistent Across Controller Level Resets",
			"enabled", "disabled");
}

/* Return a little-endian number. Bytes beyond the data are 0. */
static uint32_t number_at(const struct nvme_passthru_cmd *c, size_t at, unsigned int bytes)
{
	const __u8 *data = request_data(c);
	uint32_t value = 0;

	for (unsigned int i = 0; i < bytes && at + i < c->data_len; i++)
		value |= (uint32_t)data[at + i] << (8 * i);
	return value;
}

static void show_streams(struct out *out, const struct nvme_passthru_cmd *c)
{
	static const struct {
		size_t at;
		unsigned int bytes;
		const char *name, *word;
	} fields[] = {
		{ 0, 2, "Max Streams Limit", "(MSL)" },
		{ 2, 2, "NVM Subsystem Streams Available", "(NSSA)" },
		{ 4, 2, "NVM Subsystem Streams Open", "(NSSO)" },
		{ 6, 1, "NVM Subsystem Stream Capability", "(NSSC)" },
		{ 16, 4, "Stream Write Size (in unit of LB size)", "(SWS)" },
		{ 20, 2, "Stream Granularity Size (in unit of SWS)", "(SGS)" },
		{ 22, 2, "Namespace Streams Allocated", "(NSA)" },
		{ 24, 2, "Namespace Streams Open", "(NSO)" },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const uint32_t value = number_at(c, fields[i].at, fields[i].bytes);
		char key[64];

		out_text(out, "\t%-40s%8s: %" PRIu32 "\n", fields[i].name, fields[i].word, value);
		snprintf(key, sizeof(key), "%s %s", fields[i].name, fields[i].word);
		out_uint(out, key, value);
	}
}

static void show_open(struct out *out, const struct nvme_passthru_cmd *c)
{
	const uint32_t announced = number_at(c, 0, 2);

	out_text(out, "\tOpen Stream Count  : %" PRIu32 "\n", announced);
	out_uint(out, "Open Stream Count", announced);
	for (uint32_t i = 1; i <= announced && 2 * i + 2 <= c->data_len; i++) {
		const uint32_t id = number_at(c, 2 * i, 2);
		char key[40];

		snprintf(key, sizeof(key), "Stream Identifier %06" PRIu32, i);
		out_text(out, "\t%s : %" PRIu32 "\n", key, id);
		out_uint(out, key, id);
	}
}

static void show_allocated(struct out *out, const struct nvme_passthru_cmd *c)
{
	out_text(out, "\tNamespace Streams Allocated (NSA): %u\n", c->result & 0xffff);
	out_uint(out, "Namespace Streams Allocated (NSA)", c->result & 0xffff);
}

static void explain_directives(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct dir_args *args = cmd->args;

	if (args->dtype == NVME_DIRECTIVE_DTYPE_IDENTIFY)
		show_identify(cmd->out, c);
	else if (args->doper == STREAMS_PARAMETERS)
		show_streams(cmd->out, c);
	else if (args->doper == STREAMS_STATUS)
		show_open(cmd->out, c);
	else
		show_allocated(cmd->out, c);
}

static void show_hex(struct out *out, const char *key, uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "%#x", value);
	out_str(out, key, text);
}

static int answer_receive(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct dir_args *args = cmd->args;
	struct out *out = cmd->out;

	out_text(out, "dir-receive: type:%#x operation:%#x spec:%#x nsid:%#x result:%#x\n",
		 args->dtype, args->doper, args->dspec, c->nsid, c->result);
	out_object(out, NULL);
	show_hex(out, "Type", args->dtype);
	show_hex(out, "Operation", args->doper);
	show_hex(out, "spec", args->dspec);
	show_hex(out, "NSID", c->nsid);
	show_hex(out, "Result", c->result);
	if (args->human || cmd->common.verbose)
		explain_directives(cmd, c);
	else if (c->data_len)
		out_dump_characters(out, "data", request_data(c), c->data_len);
	return out_end(out);
}

REQUEST_COMMAND_BINARY(
	dir_receive_command, "dir-receive", "Show or allocate the resources of a directive",
	BINARY(DIR_OPTIONS, OPT(SHORT, "req-resource", 'r', ARGS, nsr, "N", "streams to allocate")),
	ARGS, .opcode = nvme_admin_directive_recv, REQUEST_NSID(OWN, ARGS),
	.parts = REQUEST_PARTS(DIR_PARTS, REQUEST_BITS(12, 0, 16, ARGS, nsr)),
	.measure = measure_receive, .build = build_receive, .answer = answer_receive);
