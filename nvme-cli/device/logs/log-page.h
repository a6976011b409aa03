/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log page as a command: a row that has what Get Log Page asks for and the fields of the answer,
 * and an option list.
 *
 *	static const struct log_page endurance_log_page = {
 *		.lid = NVME_LOG_LID_ENDURANCE_GROUP, .size = sizeof(struct nvme_endurance_group_log),
 *		.what = "endurance log", .fields = endurance_fields, .width = 24,
 *	};
 *
 *	const struct command_spec endurance_log_command = LOG_PAGE_COMMAND(
 *		"endurance-log", "Show the Endurance Group Information log", endurance_log_options,
 *		endurance_log_page);
 */
#pragma once

#include "device/device.h"

/* Fields of Get Log Page that options fill, under whatever names; and what becomes of the answer. */
struct log_page_args {
	uint32_t nsid;
	uint32_t entries; /* to read at most */
	uint16_t lsi;
	uint8_t lsp;
	uint8_t count; /* of elements to show at most */
	uint8_t csi;
	int csi_number; /* as it was given */
	bool lsp_bit; /* the lowest of the log specific parameter */
	bool rae;
	bool csi_given;
	bool raw;
	bool human;
	const char *file; /* for the answer */
	bool lsp_given;
	uint32_t length; /* to read */
	uint32_t generate, area; /* of telemetry: capture anew? Up to which data area? */
	uint8_t mcda; /* the same for what is captured */
	bool controller; /* what the controller captured by itself */
};

#define LOG_PAGE_DEFAULTS \
	{ \
		.nsid = NVME_NSID_ALL \
	}

/* clang-format off */
#define LOG_PAGE_OPT_RAW \
	OPT_FLAG("raw-binary", 'b', struct log_page_args, raw, "write the log's bytes")
#define LOG_PAGE_OPT_HUMAN \
	OPT_FLAG("human-readable", 'H', struct log_page_args, human, "explain the bits")
#define LOG_PAGE_OPT_RAE \
	OPT_FLAG("rae", 'r', struct log_page_args, rae, "retain the asynchronous event")
#define LOG_PAGE_OPTIONS \
	LOG_PAGE_OPT_RAW, LOG_PAGE_OPT_HUMAN, GENERIC_OPTIONS_BINARY

/* The last arguments are the options' defaults. */
#define LOG_PAGE_COMMAND_AS(name_, summary_, options_, row_, ...) \
	LOG_PAGE_COMMAND_BY(log_page_run, name_, summary_, options_, row_, __VA_ARGS__)
#define LOG_PAGE_COMMAND_BY(run_, name_, summary_, options_, row_, ...) \
	{ \
		.name = name_, .summary = summary_, .operands = "DEVICE", .options = options_, \
		.args_size = sizeof(struct log_page_args), \
		.defaults = &(const struct log_page_args){ __VA_ARGS__ }, \
		.formats = OUT_TEXT | OUT_JSON | OUT_BINARY, .max_operands = 1, \
		.run = run_, .row = &(row_), \
	}
#define LOG_PAGE_COMMAND(name_, summary_, options_, row_) \
	LOG_PAGE_COMMAND_AS(name_, summary_, options_, row_, .nsid = NVME_NSID_ALL)
/* clang-format on */

/* What was read: nothing beyond @size is there. */
struct log_bytes {
	const unsigned char *at;
	size_t size;
};

struct log_cursor;

struct log_page {
	enum nvme_cmd_get_log_lid lid;
	uint32_t size; /* of the page, or of its first part, which has the length */
	const char *what; /* for messages: "smart log" */
	const char *title; /* of the text, ahead of the device's name, or NULL */
	const char *title_lsi; /* behind it, ahead of the log specific identifier, or NULL */
	bool hex_lsi; /* its text there */
	const char *key_lsi; /* of the log specific identifier in JSON, or NULL */
	bool named; /* in JSON: the fields are in an object with the device's name */
	bool retain; /* the asynchronous event while the first part is read */
	bool resume; /* what is left is read from behind the first part, not all of it again */
	int width; /* of the labels */
	const struct field *fields;
	/* Bytes of the page in all, by its first part; NULL: it has @size bytes. */
	uint64_t (*length)(const void *head, const struct log_page_args *args);
	/* Before anything is shown, whatever the format, or NULL. Returns the exit status. */
	int (*save)(struct command *cmd, const struct log_bytes *log);
	/* Instead of @fields. @explain: with the meaning of bits. Returns the exit status. */
	int (*show)(struct command *cmd, const struct device *dev, const void *log, bool explain);
	/* The same for pages that have a length. */
	int (*show_bytes)(struct command *cmd, const struct device *dev,
			  const struct log_bytes *log, bool explain);
	/* The same for those that are read as they are shown, see log-cursor.h. */
	int (*walk)(struct log_cursor *cursor, bool explain);
};

/* Reads the log page of cmd->spec->row and shows it, or writes its bytes. Returns the exit status. */
int log_page_run(struct command *cmd);

/* Reads @length bytes of the page at @offset as @args have it. Returns as nvme_get_log_page(). */
int log_page_read(struct command *cmd, const struct device *dev, enum nvme_cmd_get_log_lid lid,
		  uint64_t offset, void *to, uint32_t length);

/* Have @n elements of @size bytes from @offset on been read? Without overflow. */
bool log_page_holds(const struct log_bytes *log, uint64_t offset, uint64_t n, size_t size);

/* Reports the element of a page that lies beyond what was read. Returns the exit status, 1. */
int log_page_ends(struct command *cmd, const char *element, uint64_t index, uint64_t count,
		  const struct log_bytes *log);

/* Elements of one size: lines in text, an array of objects in JSON. */
struct log_list {
	const char *key; /* of the array in JSON */
	const char *element; /* its name, for the message about one that is cut off */
	const char *label; /* of the line with the element's number, or NULL */
	const struct field *fields;
	size_t offset; /* of the first one */
	size_t size; /* of each */
};

/* The first @n elements of @list. Returns the exit status: 1 if the page ends before. */
int log_page_list(struct command *cmd, const struct log_list *list, const struct log_bytes *log,
		  uint64_t n);

/* Elements of which each has its own length: lines in text, an array of objects in JSON. */
struct log_entries {
	const char *key; /* of the array in JSON */
	const char *element; /* its name, for the message about one that is cut off */
	const char *label; /* of the line ahead of each, which ends with its number */
	const struct field *fields;
	size_t offset; /* of the first one */
	size_t size; /* of the part that each has */
	size_t length_at; /* of the 4 bytes in it that have its length */
	/* Bytes of the entry at @at by what it counts, or NULL: @size. */
	uint64_t (*needs)(const unsigned char *at);
	/* What comes behind @fields, or NULL. */
	void (*show)(struct out *out, const unsigned char *at);
};

/*
 * The first @n elements of @entries. Returns the exit status: 1 if the page ends before, or if one has
 * no room for what it counts.
 */
int log_page_entries(struct command *cmd, const struct log_entries *entries,
		     const struct log_bytes *log, uint64_t n);
