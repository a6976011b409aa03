/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Waiting in the middle of something long, while the thread's caller has other things to do that cannot
 * wait so long: what it named is called meanwhile.
 */
#pragma once

#include <poll.h>

struct pause_service {
	/* Waits for @ms at most, and does what comes up; it may return earlier. */
	void (*fn)(void *arg, int ms);
	void *arg;
};

/* What serves in pauses of this thread from now on; NULL: nothing. Returns what did before. */
const struct pause_service *pause_use(const struct pause_service *service);

/* Waits for so many milliseconds; even if that is 0, what serves is called. */
void pause_for(int ms);

/* As poll() of one descriptor, for @ms at most. */
int pause_poll(struct pollfd *fd, int ms);
