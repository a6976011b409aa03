/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules whose findings are meant so: those of --ignore, and of the configuration. */
#pragma once

#include "mptcp.h"

struct ignore {
	char **rules; /* ended by NULL; NULL: none */
	size_t n;
};

/*
 * @option is a list separated by commas, or NULL; @config a file, "none", or NULL for the default
 * one, if that exists. The lists of all hosts of a configuration count. 0, or an exit status after
 * a message; in either case @ret is to be freed.
 */
int ignore_read(struct command *cmd, const char *option, const char *config, struct ignore *ret);
void ignore_cleanup(struct ignore *ignore);
