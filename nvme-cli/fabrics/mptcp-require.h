/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nvme connect --require: fewer links than required are an error. */
#pragma once

#include "frame/frame.h"

/* What each connection of a new controller must have. @text: the option's value, NULL: nothing. */
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
