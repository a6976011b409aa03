/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line on a terminal about a new controller without all of its links. */
#pragma once

#include "frame/frame.h"

/* Controllers that were connected by this command. */
struct fresh {
	nvme_ctrl_t *ctrls;
	size_t n;
};

/* Remembers @c, which must outlive hint_at_links(), if standard error is a terminal. */
void hint_later(struct command *cmd, struct fresh *fresh, nvme_ctrl_t c);

/*
 * Waits up to a second for the subflows to be established; one line on stderr if they are not. Costs
 * nothing without a terminal, never fails. Frees what hint_later() remembered.
 */
void hint_at_links(struct command *cmd, struct fresh *fresh);
