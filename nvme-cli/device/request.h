/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command to a device as a table: its opcode, which option goes to which bits, which namespace it is
 * for, what it erases, and what becomes of the answer. A struct request is the row of a command whose
 * run() is request_run():
 *
 *	static const struct request_part release_parts[] = {
 *		REQUEST_BITS(10, 0, 3, struct resv_args, rrela),
 *		REQUEST_BYTES(0, struct resv_args, crkey),
 *		REQUEST_PART_END,
 *	};
 */
#pragma once

#include "device.h"
#include "in-use.h"

struct request_part {
	const char *option; /* its name, in refusals; NULL ends a table */
	size_t offset, size; /* of its value in the command's arguments */
	unsigned int dword; /* 10 to 15, or 0: the data */
	unsigned int at; /* lowest bit of the dword, or first byte of the data */
	unsigned int width; /* bits, or bytes; 33 to 64 bits go on in the next dword */
};

#define REQUEST_PART(dword_, at_, width_, struct_, member, option_) \
	{ \
		.option = option_, .offset = offsetof(struct_, member), \
		.size = sizeof(((struct_ *)NULL)->member), .dword = dword_, .at = at_, \
		.width = width_, \
	}
/* The value of an option that has its member's name; what has more bits than @width_ is refused. */
#define REQUEST_BITS(dword_, at_, width_, struct_, member) \
	REQUEST_PART(dword_, at_, width_, struct_, member, #member)
/* The same in the data, as wide as the member. */
#define REQUEST_BYTES(at_, struct_, member) \
	REQUEST_PART(0, at_, sizeof(((struct_ *)NULL)->member), struct_, member, #member)
#define REQUEST_PART_END \
	{ \
		.option = NULL \
	}

enum request_nsid {
	REQUEST_NO_NSID,
	REQUEST_OWN_NSID, /* the device's own if the option is not there or 0 */
	REQUEST_ANY_NSID, /* what was given, 0 as well */
	REQUEST_GIVEN_NSID, /* what was given, which is not 0 */
};

struct request {
	__u8 opcode;
	bool io; /* for an I/O queue */
	enum request_nsid has_nsid;
	size_t nsid; /* offset of uint32_t */
	__u32 cdw10, cdw11; /* bits that are always there */
	const struct request_part *parts; /* or NULL */
	__u32 data_len; /* of what is sent or comes back; the opcode tells which */
	/* Or its length by the arguments, which it may refuse. Returns the exit status. */
	int (*measure)(struct command *cmd, __u32 *data_len);
	__u32 timeout; /* ms, without --timeout */
	enum in_use_scope erases;
	size_t force; /* offset of bool, where something is erased */
	/* What the widths of the parts do not tell of the arguments. Returns the exit status. */
	int (*check)(struct command *cmd);
	/* What is no part: data from a file, for example. Returns the exit status. */
	int (*build)(struct command *cmd, const struct device *dev, struct nvme_passthru_cmd *c);
	/* Reports the answer in c->result and, at c->addr, the data. Returns the exit status. */
	int (*answer)(struct command *cmd, const struct device *dev,
		      const struct nvme_passthru_cmd *c);
	const char *success; /* or this line, without answer() */
};

/*
 * The command NAME with the options and arguments of this request, whose members come last. What reads
 * data is written by -o binary as well: REQUEST_COMMAND_BINARY().
 */
#define REQUEST_COMMAND(variable, name, summary, options, struct_, ...) \
	REQUEST_COMMAND_WITH(variable, name, summary, options, struct_, NULL, OUT_TEXT | OUT_JSON, \
			     __VA_ARGS__)
#define REQUEST_COMMAND_BINARY(variable, name, summary, options, struct_, ...) \
	REQUEST_COMMAND_WITH(variable, name, summary, options, struct_, NULL, \
			     OUT_TEXT | OUT_JSON | OUT_BINARY, __VA_ARGS__)
/* The same with defaults of the options, or NULL, and formats. */
#define REQUEST_COMMAND_WITH(variable, name_, summary_, options_, struct_, defaults_, formats_, \
			     ...) \
	const struct command_spec variable = { \
		.name = name_, \
		.summary = summary_, \
		.operands = "DEVICE", \
		.options = options_, \
		.args_size = sizeof(struct_), \
		.defaults = defaults_, \
		.formats = formats_, \
		.max_operands = 1, \
		.run = request_run, \
		.row = &(const struct request){ __VA_ARGS__ }, \
	}

/* Sends the command of cmd->spec->row. Returns the exit status. */
int request_run(struct command *cmd);

/* For commands that do more than send one: refuses values that their parts have no room for. */
int request_check(struct command *cmd, const struct request_part *parts);

/* Puts the values of the options into @c. */
void request_put(const struct command *cmd, const struct request_part *parts,
		 struct nvme_passthru_cmd *c);

/* The data of @c. */
void *request_data(const struct nvme_passthru_cmd *c);
