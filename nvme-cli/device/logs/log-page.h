/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log page of fixed size as a command: a row of this table, an option list, and how it is shown,
 * best by a list of fields.
 *
 *	static const struct log_page smart_log_page = { ... };
 *
 *	const struct command_spec smart_log_command = {
 *		...
 *		.options = smart_log_options, .args_size = sizeof(struct log_page_args),
 *		.run = log_page_run, .row = &smart_log_page,
 *	};
 */
#ifndef LOG_PAGE_H
#define LOG_PAGE_H

#include "device/device.h"

struct log_page_args {
	uint32_t nsid;
	bool raw;
	bool human;
};

#define LOG_PAGE_DEFAULTS \
	{ \
		.nsid = NVME_NSID_ALL \
	}

/* clang-format off */
#define LOG_PAGE_OPTIONS \
	OPT_FLAG("raw-binary", 'b', struct log_page_args, raw, "write the log's bytes"), \
	OPT_FLAG("human-readable", 'H', struct log_page_args, human, "explain the bits"), \
	GENERIC_OPTIONS_BINARY
/* clang-format on */

struct log_page {
	enum nvme_cmd_get_log_lid lid;
	uint32_t size;
	const char *what; /* for messages: "smart log" */
	/* @explain: with the meaning of bits. Returns the exit status. */
	int (*show)(struct command *cmd, const struct device *dev, const void *log, bool explain);
};

/* Reads the log page of cmd->spec->row and shows it, or writes its bytes. Returns the exit status. */
int log_page_run(struct command *cmd);

#endif /* LOG_PAGE_H */
