/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Links that carry a controller, printed after its events. */
#pragma once

#include "frame/frame.h"

/* Controllers with events, and the links last printed for each. */
struct monitored_links {
	void *tree; /* tsearch(3) tree, by name */
	int64_t since, last; /* first and last unprinted event, ms of CLOCK_MONOTONIC; 0: none */
};

/* Note an event of the controllers @names, "nvme1" or "nvme1,nvme2". Return 0 or -ENOMEM. */
int monitor_links_note(struct monitored_links *links, const char *names);

/* Return the time until the events have settled in ms, or -1 without events. */
int monitor_links_wait(const struct monitored_links *links);

/*
 * Print the links of each noted controller if they changed. Return 0, or an exit status after a
 * message.
 */
int monitor_links_show(struct command *cmd, const char *netns, struct monitored_links *links);

/* Use: _cleanup_(monitor_links) struct monitored_links links = {}; */
void monitor_links_cleanup(struct monitored_links *links);

/* Start a line with a time in microseconds since 1970, the controller, and the event. */
void monitor_show_start(struct out *out, int64_t us, const char *ctrl, enum out_colour colour,
			const char *what);
