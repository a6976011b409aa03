/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* discovery.conf: options of nvme discover, a line per controller, after the command line's. */
#pragma once

#include "config-files.h"
#include "connect-args.h"

struct discover_args {
	struct fabrics_args fabrics;
	const char *device, *raw, *nbft_path;
	bool persistent, force, nbft, no_nbft;
};

#define DISCOVER_DEFAULTS \
	{ \
		.fabrics = FABRICS_DEFAULTS, .nbft_path = NBFT_PATH \
	}

/* clang-format off */
/* Options of a line; each but the last ends with a comma. */
#define DISCOVERY_LINE_OPTIONS \
	FABRICS_OPTIONS FABRICS_DUMP_CONFIG \
	OPT_FORMAT_BINARY, \
	OPT(STR, "raw", 'r', struct discover_args, raw, "FILE", "save the log's bytes in this file"), \
	OPT_FLAG("persistent", 'p', struct discover_args, persistent, \
		 "stay connected to the discovery controller"), \
	OPT_COMMON(FLAG, "quiet", 0, quiet, NULL, "print less"), \
	OPT_VERBOSE, \
	OPT_FLAG("force", 0, struct discover_args, force, \
		 "do not reuse a connected discovery controller")
/* clang-format on */

struct discovery_line {
	char *place; /* "file:line" */
	char *text; /* words that @args points into */
	struct discover_args args;
	char *warnings; /* warnings about ignored words, one per line, or NULL */
	int err; /* 0, or -errno if the line must be skipped */
	char *why; /* reason for @err; NULL if there is no memory for it */
};

/*
 * Call @use for every line of @path that is not empty or a comment, also for lines with an error.
 * @use may take ownership of a line's strings by setting them to NULL. @command is the command's
 * name for messages; lines start from its options @given. Return: 0, also if the file does not
 * exist; or -errno with a sentence in @why, to be freed.
 */
int input_each_line(const char *path, const char *command, const struct discover_args *given,
		    void (*use)(struct discovery_line *line, void *arg), void *arg, char **why);
