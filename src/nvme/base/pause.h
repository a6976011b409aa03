/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pauses in long operations. The thread's caller may have work that cannot wait until the operation
 * ends: it registers a service, which pauses call instead of sleeping.
 */
#pragma once

#include <poll.h>
#include "shared/std.h"

struct pause_service {
	/* Handle pending work for at most @ms; may return earlier. */
	void (*fn)(void *arg, int ms);
	void *arg;
};

/* Register the service of this thread; NULL: none. Return the previous one. */
const struct pause_service *pause_set_service(const struct pause_service *service);

/* Pause for @ms milliseconds. The service runs at least once, even if @ms is 0. */
void pause_for(int ms);

/* Like poll() for one descriptor, for at most @ms milliseconds. */
int pause_poll(struct pollfd *fd, int ms);
