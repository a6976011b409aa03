/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nvme connect --require: a connection with fewer links than units depend on is an error. */
#pragma once

#include "frame/frame.h"

/* What each connection of a new controller must have; @text is the option's value, NULL: nothing. */
struct requirement {
	const char *text;
	bool is_links; /* else subflows */
	long least;
};

/* Parses @text for a controller that connects over @transport. 0, or -EINVAL after a message. */
int hint_parse_required(struct command *cmd, const char *text, const char *transport,
			struct requirement *ret);

/* Waits for what @r requires of @c, for at most 10 seconds. 0, or an exit status after a message. */
int hint_await_required(struct command *cmd, const struct requirement *r, nvme_ctrl_t c);
