/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * discovery.conf: one discovery controller per line, written as options of nvme discover. Lines
 * start from the command line's options and do not affect each other.
 */
#pragma once

#include "config-files.h"
#include "connect-args.h"

struct discover_args {
	struct fabrics_args fabrics;
	const char *device;
	const char *raw;
	const char *nbft_path;
	bool persistent;
	bool force;
	bool nbft;
	bool no_nbft;
};

#define DISCOVER_DEFAULTS \
	{ \
		.fabrics = FABRICS_DEFAULTS, .nbft_path = NBFT_PATH \
	}

/* clang-format off */
/* What a line may have; each has a comma behind it but the last. */
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
	char *text; /* whose words @args has */
	struct discover_args args;
	char *warnings; /* lines about what is ignored in it, or NULL */
	int err; /* 0, or -errno: it is not to be followed */
	char *why; /* the reason; NULL where there is no memory for it */
};

/*
 * Hands every line of @path that is neither empty nor a comment, and leads somewhere or is wrong, to
 * @use, which may take its strings over by setting them to NULL. @command is what messages call the
 * command, @given has its options.
 *
 * Return: 0, also where there is no such file; or -errno with a sentence in @why, to be freed.
 */
int input_each_line(const char *path, const char *command, const struct discover_args *given,
		    void (*use)(struct discovery_line *line, void *arg), void *arg, char **why);
