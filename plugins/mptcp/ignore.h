/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules whose findings are suppressed, from --ignore and from the configuration. */
#pragma once

#include "mptcp.h"

struct ignore {
	char **rules; /* NULL-terminated; NULL: none */
	size_t n;
};

/*
 * Read the rules to ignore. @option is a comma-separated list, or NULL. @config is a file, "none",
 * or NULL for the default file if it exists; the lists of all hosts in it are merged. Return 0, or
 * an exit status after a message. In either case, free @ret with ignore_cleanup().
 */
int ignore_read(struct command *cmd, const char *option, const char *config, struct ignore *ret);
void ignore_cleanup(struct ignore *ignore);
