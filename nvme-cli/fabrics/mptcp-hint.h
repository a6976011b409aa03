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

/* What nvme connect --require asks of each connection of a controller. @text: the option's value, NULL: nothing. */
struct requirement {
	const char *text;
	bool is_links; /* else subflows */
	long least;
};

/* Parse @text for a controller of @transport. Return 0, or -EINVAL after a message. */
int hint_parse_required(struct command *cmd, const char *text, const char *transport,
			struct requirement *ret);

/* Wait up to 10 seconds until @c meets @r. Return 0, or an exit status after a message. */
int hint_await_required(struct command *cmd, const struct requirement *r, nvme_ctrl_t c);
