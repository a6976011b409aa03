/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the events of a controller come to: the links that carry it. */
#pragma once

#include <nvme/mptcp.h>

#include "frame/frame.h"

/* Controllers that events were about, with the links that were printed last for each. */
struct monitored_links {
	void *tree; /* tsearch(3), by name */
	int64_t since, last; /* ms of a clock, of events not settled yet; 0: there are none */
};

/* Something happened to the controllers @names, "nvme1" or "nvme1,nvme2". 0 or -ENOMEM. */
int monitor_links_note(struct monitored_links *links, const char *names);

/* Milliseconds until the events have settled; -1 if there are none. */
int monitor_links_wait(const struct monitored_links *links);

/* Prints the links of each controller noted, if they changed. 0, or an exit status after a message. */
int monitor_links_show(struct command *cmd, const char *netns, struct monitored_links *links);

/* Use: _cleanup_(monitor_links) struct monitored_links links = {}; */
void monitor_links_cleanup(struct monitored_links *links);

/* Begins a line: the time in microseconds since 1970, the controller, and what happened. */
void monitor_show_start(struct out *out, int64_t us, const char *ctrl, enum out_colour colour,
			const char *what);
