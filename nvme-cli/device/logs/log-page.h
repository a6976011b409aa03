/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log page as a command: the option list and its defaults, and a row with the parameters of Get
 * Log Page and the fields of the answer.
 *
 *	LOG_PAGE_COMMAND(fw_log_command, "fw-log", "Show the Firmware Slot Information log",
 *			 BINARY(LOG_PAGE_OPT_RAW), LOG_ARGS(.nsid = NVME_NSID_ALL), log_page_run,
 *			 .lid = NVME_LOG_LID_FW_SLOT, .size = sizeof(struct nvme_firmware_slot),
 *			 .what = "fw log", .show = show_fw_log);
 */
#pragma once

#include "device/device.h"

/* Fields of Get Log Page that options set, whatever their names, and what to do with the answer. */
struct log_page_args {
	uint32_t nsid;
	uint32_t entries; /* maximum number to read */
	uint16_t lsi;
	uint8_t lsp;
	uint8_t count; /* maximum number of elements to show */
	uint8_t csi;
	int csi_number; /* as given */
	bool lsp_bit; /* lowest bit of the log specific parameter */
	bool rae, csi_given, raw, human;
	const char *file; /* to write the answer to */
	bool lsp_given;
	uint32_t length; /* bytes to read */
	uint32_t generate, area; /* telemetry: create new data? Up to which data area? */
	uint8_t mcda; /* telemetry: data area up to which data is created */
	bool controller; /* telemetry: controller-initiated data */
};

/* clang-format off */
#define LOG_PAGE_OPT_RAW \
	OPT_FLAG("raw-binary", 'b', struct log_page_args, raw, "write the log's bytes")
#define LOG_PAGE_OPT_HUMAN \
	OPT_FLAG("human-readable", 'H', struct log_page_args, human, "explain the bits")
#define LOG_PAGE_OPT_RAE \
	OPT_FLAG("rae", 'r', struct log_page_args, rae, "retain the asynchronous event")
#define LOG_PAGE_OPTIONS \
	LOG_PAGE_OPT_RAW, LOG_PAGE_OPT_HUMAN, GENERIC_OPTIONS_BINARY

/* clang-format on */

#define LOG_ARGS(...) (&(const struct log_page_args){ __VA_ARGS__ })
/* @run_ is log_page_run(), or calls it; the members of struct log_page come last. */
#define LOG_PAGE_COMMAND(variable, name, summary, options, defaults_, run_, ...) \
	DEVICE_COMMAND_BINARY(variable, name, summary, options, struct log_page_args, \
			      .defaults = defaults_, .run = run_, \
			      .row = &(const struct log_page){ __VA_ARGS__ })

/* The bytes that were read. Nothing beyond @size may be accessed. */
struct log_bytes {
	const unsigned char *at;
	size_t size;
};

struct log_cursor;

struct log_page {
	enum nvme_cmd_get_log_lid lid;
	uint32_t size; /* of the page, or of its first part, which contains the total length */
	const char *what; /* name in messages, e.g. "smart log" */
	const char *title; /* of the text, before the device's name, or NULL */
	const char *title_lsi; /* text between device name and log specific identifier, or NULL */
	bool hex_lsi; /* print the identifier after title_lsi in hex */
	const char *key_lsi; /* JSON key of the log specific identifier, or NULL */
	bool named; /* in JSON, put the fields into an object with the device's name */
	bool retain; /* retain the asynchronous event while reading the first part */
	bool resume; /* continue after the first part instead of reading the whole page again */
	int width; /* width of the labels */
	const struct field *fields;
	/* Elements after @fields, or NULL; their number has @count_size bytes at @count_at. */
	const struct log_list *list;
	const struct log_entries *entries;
	size_t count_at, count_size;
	/*
	 * Length in bytes: @length_size bytes at @length_at of the first part; else the first part
	 * and the elements of @list; else what @length() returns from the first part; else @size.
	 */
	size_t length_at, length_size;
	uint64_t (*length)(const void *head, const struct log_page_args *args);
	/* Save the page before anything is printed, in any format, or NULL. */
	int (*save)(struct command *cmd, const struct log_bytes *log);
	/* Print the page instead of @fields, with the meaning of bits if @explain. */
	int (*show)(struct command *cmd, const void *log, bool explain);
	/* The same for pages with a length(). */
	int (*show_bytes)(struct command *cmd, const struct log_bytes *log, bool explain);
	/* The same for pages that are printed while they are read, see struct log_cursor. */
	int (*walk)(struct log_cursor *cursor, bool explain);
};

/* Read the log page of cmd->spec->row and print it, or write its bytes. Return the exit status. */
int log_page_run(struct command *cmd);

/* Read @length bytes from @offset with the parameters in cmd->args, as nvme_get_log_page() does. */
int log_page_read(struct command *cmd, enum nvme_cmd_get_log_lid lid, uint64_t offset, void *to,
		  uint32_t length);

/* True if the data contains @n elements of @size bytes from @offset on. Cannot overflow. */
bool log_page_holds(const struct log_bytes *log, uint64_t offset, uint64_t n, size_t size);

/* Report an element that exceeds the data. Return the exit status, 1. */
int log_page_ends(struct command *cmd, const char *element, uint64_t index, uint64_t count,
		  const struct log_bytes *log);

/* Elements of equal size: lines in text, an array of objects in JSON. */
struct log_list {
	const char *key; /* of the array in JSON */
	const char *element; /* name in the message about a truncated element */
	const char *label; /* of the line with the number of the element, or NULL */
	const struct field *fields;
	size_t offset; /* of the first element */
	size_t size; /* of each element */
};

/* Elements that contain their own length: lines in text, an array of objects in JSON. */
struct log_entries {
	const char *key; /* of the array in JSON */
	const char *element; /* name in the message about a truncated element */
	const char *label; /* of the line before each element, which ends with its number */
	const struct field *fields;
	size_t offset; /* of the first element */
	size_t size; /* of the part that all elements have */
	size_t length_at; /* offset in that part of the length, 4 bytes */
	/* Return the bytes that the entry at @at needs by its own counts, or NULL: @size. */
	uint64_t (*needs)(const unsigned char *at);
	/* Print what follows @fields, or NULL. */
	void (*show)(struct out *out, const unsigned char *at);
};

/* A log page whose length follows from counts within it: it is read piece by piece, as needed. */
struct log_cursor {
	struct command *cmd;
	const struct log_page *page;
	unsigned char *bytes; /* read so far, whole dwords */
	size_t size, room, position;
};

/* Return the next @n bytes, read as needed and valid until the next call; NULL after a message. */
const unsigned char *log_cursor_take(struct log_cursor *cursor, uint64_t n);

/* Print the page with page->walk, or write the bytes that it takes. Return the exit status. */
int log_cursor_run(struct command *cmd);

/* Print the SMART / Health Information log: text as for the whole controller, JSON fields into the open listing. */
void log_out_smart(struct out *out, const char *device, const struct nvme_smart_log *log);

/* Print each name of an effect of commands and features with whether its bit is set, e.g. "  CSUPP+  LBCC-", in text only. */
void log_out_effects(struct out *out, const struct out_flag *effects, uint32_t value);

/* Return the name of an event type of the Persistent Event log. */
const char *log_event_name(unsigned int type);

/* Print an event's data, in JSON into the open listing. @length may be less than the type's. */
void log_show_event(struct out *out, const char *device, unsigned int type,
		    const unsigned char *data, size_t length);
