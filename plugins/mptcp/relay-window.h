/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fit the send buffer of an MPTCP socket to the bandwidth-delay product of its paths. */
#pragma once

#include "shared/std.h"

/* Maximum number of paths; the kernel's path manager makes at most nine subflows. */
#define WINDOW_PATHS 16
/* Maximum size that is set, unless --send-buffer is larger. */
#define WINDOW_MAX ((size_t)16 << 20)

/* Counters of a subflow, from the kernel. */
struct window_path {
	uint64_t acked; /* bytes acknowledged since the subflow started */
	uint64_t rate; /* delivery rate, bytes per second */
	uint32_t min_rtt; /* microseconds */
};

/* Subflows of a socket at the last reading, each with its minimum round trip time so far. */
struct relay_window {
	unsigned int n;
	struct window_path paths[WINDOW_PATHS];
};

/*
 * Return the size to set for a buffer of size @now, or @now if a change is not worthwhile. The
 * result is at least @least, unless the links are so slow that data would queue. The kernel doubles
 * the size that is set.
 */
size_t relay_window_size(struct relay_window *w, const struct window_path *paths, unsigned int n,
			 size_t now, size_t least);

/* Adapt the send buffer of a socket that was full. Does not allocate memory. */
void relay_window_follow(struct relay_window *w, int fd, size_t least);
