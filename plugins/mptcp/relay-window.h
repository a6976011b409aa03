/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The send buffer of an MPTCP socket follows what its paths can have in flight. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The kernel's path manager makes at most nine. */
#define WINDOW_PATHS 16
/* The largest size that is set; a larger --send-buffer wins. */
#define WINDOW_MOST ((size_t)16 << 20)

/* What the kernel reports of a subflow. */
struct window_path {
	uint64_t acked; /* bytes since it began */
	uint64_t rate; /* bytes delivered per second */
	uint32_t min_rtt; /* us */
};

/* The subflows of a socket when they were read last, each with its shortest round trip so far. */
struct relay_window {
	unsigned int n;
	struct window_path paths[WINDOW_PATHS];
};

/*
 * The size to set for a buffer of size @now, not less than @least unless links are so slow that this would
 * queue, or @now where a change is not worthwhile. The kernel doubles the size that is set.
 */
size_t relay_window_size(struct relay_window *w, const struct window_path *paths, unsigned int n,
			 size_t now, size_t least);

/* Sets the size for a socket whose send buffer was full. Allocates nothing. */
void relay_window_follow(struct relay_window *w, int fd, size_t least);
