/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Says on a terminal when a controller that was connected just now lacks links. */
#ifndef MPTCP_HINT_H
#define MPTCP_HINT_H

#include "frame/frame.h"

/* Controllers that were connected by this command. */
struct fresh {
	nvme_ctrl_t *ctrls;
	size_t n;
};

/* Remembers @c, which must outlive hint_at_links(), if somebody could be told about it. */
void hint_later(struct command *cmd, struct fresh *fresh, nvme_ctrl_t c);

/*
 * Waits up to a second for the subflows to come about; one line on stderr if they do not. Costs
 * nothing if nobody sits there, never fails. Frees what hint_later() remembered.
 */
void hint_at_links(struct command *cmd, struct fresh *fresh);

#endif /* MPTCP_HINT_H */
