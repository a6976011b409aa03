/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device command as a table: its opcode, the bits that each option sets, its namespace, what it
 * erases, and how the answer is reported. A struct request is the row of a command whose run() is
 * request_run():
 *
 *	.parts = REQUEST_PARTS(REQUEST_BITS(10, 0, 3, struct resv_args, rrela),
 *			       REQUEST_BYTES(0, struct resv_args, crkey)),
 */
#pragma once

#include "in-use.h"

struct request_part {
	const char *option; /* name in error messages; NULL ends a table */
	size_t offset, size; /* of the option's value in the command's arguments */
	unsigned int dword; /* 10 to 15, or 0: the data */
	unsigned int at; /* lowest bit of the dword, or first byte of the data */
	unsigned int width; /* bits, or bytes of data; bits beyond 32 continue in the next dword */
};

/* clang-format off */
#define REQUEST_PART(dword_, at_, width_, struct_, member, option_) \
	{ .option = option_, .offset = offsetof(struct_, member), \
	  .size = sizeof(((struct_ *)NULL)->member), .dword = dword_, .at = at_, .width = width_ }
#define REQUEST_PART_END { .option = NULL }
/* clang-format on */
/* An option with the name of its member. Values of more than @width_ bits are refused. */
#define REQUEST_BITS(dword_, at_, width_, struct_, member) \
	REQUEST_PART(dword_, at_, width_, struct_, member, #member)
/* The same in the data, as wide as the member. */
#define REQUEST_BYTES(at_, struct_, member) \
	REQUEST_PART(0, at_, sizeof(((struct_ *)NULL)->member), struct_, member, #member)
#define REQUEST_PARTS(...) ((const struct request_part[]){ __VA_ARGS__, REQUEST_PART_END })

enum request_nsid {
	REQUEST_NO_NSID,
	REQUEST_OWN_NSID, /* the option's value; the device's own if it is missing or 0 */
	REQUEST_ANY_NSID, /* the option's value, which may be 0 */
	REQUEST_GIVEN_NSID, /* the option's value, which must not be 0 */
};

struct request {
	__u8 opcode;
	bool io; /* for an I/O queue */
	enum request_nsid has_nsid;
	size_t nsid; /* offset of the option, a uint32_t */
	__u32 cdw10, cdw11; /* constant bits */
	const struct request_part *parts; /* or NULL */
	__u32 data_len; /* length of the data in bytes; the opcode determines the direction */
	/* Compute the length from the arguments instead, or refuse them. Return the exit status. */
	int (*measure)(struct command *cmd, __u32 *data_len);
	__u32 timeout; /* in ms, if --timeout is not given */
	enum in_use_scope erases;
	size_t force; /* offset of the option, a bool, if something is erased */
	bool (*keeps)(const struct command *cmd); /* whether nothing is erased after all */
	/* Check what the widths of the parts do not cover. Return the exit status. */
	int (*check)(struct command *cmd);
	/* Add what is not in @parts, such as data from a file. Return the exit status. */
	int (*build)(struct command *cmd, struct nvme_passthru_cmd *c);
	/* Read the data to send, if any, from the file that a char * option names; see @file. */
	bool has_file;
	size_t file; /* offset of the option; NULL: standard input */
	/* Report the answer in c->result and, at c->addr, the data. Return the exit status. */
	int (*answer)(struct command *cmd, const struct nvme_passthru_cmd *c);
	const char *success; /* line to print if there is no answer() */
	const char *what; /* name in error messages; NULL: the command's */
};

/* Members: the namespace is of this kind and given by the option @nsid of the arguments. */
#define REQUEST_NSID(kind, struct_) \
	.has_nsid = REQUEST_##kind##_NSID, .nsid = offsetof(struct_, nsid)
/* Members: the request erases this much, unless the option @force of the arguments is given. */
#define REQUEST_ERASES(what, struct_) .erases = IN_USE_##what, .force = offsetof(struct_, force)

/* A command that sends this request, whose members come last. _BINARY(): as DEVICE_COMMAND's. */
#define REQUEST_COMMAND(variable, name, summary, options, struct_, ...) \
	DEVICE_COMMAND(variable, name, summary, options, struct_, REQUEST_ROW(__VA_ARGS__))
#define REQUEST_COMMAND_BINARY(variable, name, summary, options, struct_, ...) \
	DEVICE_COMMAND_BINARY(variable, name, summary, options, struct_, REQUEST_ROW(__VA_ARGS__))
#define REQUEST_ROW(...) .run = request_run, .row = (&(const struct request){ __VA_ARGS__ })

/* Send the command of cmd->spec->row. Return the exit status. */
int request_run(struct command *cmd);

/* An answer(): the success of the command, with its namespace. */
int request_answer_nsid(struct command *cmd, const struct nvme_passthru_cmd *c);

/* Refuse values that do not fit their parts; for commands that send more than one request. */
int request_check(struct command *cmd, const struct request_part *parts);

/* Store the values of the options in @c. */
void request_put(const struct command *cmd, const struct request_part *parts,
		 struct nvme_passthru_cmd *c);

/* Return the data buffer of @c. */
void *request_data(const struct nvme_passthru_cmd *c);
