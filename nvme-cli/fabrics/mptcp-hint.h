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

/* On a terminal, wait a second for the subflows; tell if any is missing. Frees @fresh. */
void hint_at_links(struct command *cmd, struct fresh *fresh);

/* Return the time of a monotonic clock. */
int64_t hint_clock_ms(void);
