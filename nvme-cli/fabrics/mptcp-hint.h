/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A warning on a terminal about a new controller that does not use all of its links. */
#pragma once

#include "frame/frame.h"

/* Controllers that this command has connected. */
struct fresh {
	nvme_ctrl_t *ctrls;
	size_t n;
};

/* Remember @c if standard error is a terminal. @c must exist until hint_at_links() is called. */
void hint_later(struct command *cmd, struct fresh *fresh, nvme_ctrl_t c);

/*
 * Wait up to a second for the subflows to be established, and print one line on stderr if they are
 * not. Does nothing without a terminal, and never fails. Frees what hint_later() stored.
 */
void hint_at_links(struct command *cmd, struct fresh *fresh);
