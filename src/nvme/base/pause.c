// SPDX-License-Identifier: LGPL-2.1-or-later
/* Pauses during which a registered service runs. */
#include "pause.h"

/* Interval at which pause_poll() polls while a service runs, in ms. */
#define SLICE_MS 20

static _Thread_local const struct pause_service *served;

static int64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

const struct pause_service *pause_set_service(const struct pause_service *service)
{
	const struct pause_service *before = served;

	served = service;
	return before;
}

/* Unregister the service while it runs: its own pauses must not call it again. */
static void serve(int ms)
{
	const struct pause_service *service = pause_set_service(NULL);

	service->fn(service->arg, ms);
	pause_set_service(service);
}

void pause_for(int ms)
{
	const int64_t end = milliseconds() + ms;
	int64_t left = ms;

	do {
		struct timespec time = { .tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000 };

		if (served)
			serve((int)left);
		else if (left)
			nanosleep(&time, NULL);
		left = end - milliseconds();
	} while (left > 0);
}

int pause_poll(struct pollfd *fd, int ms)
{
	const int64_t end = milliseconds() + ms;
	int64_t left = ms;
	int n;

	if (!served)
		return poll(fd, 1, ms);
	while (!(n = poll(fd, 1, 0)) && left > 0) {
		serve(left < SLICE_MS ? (int)left : SLICE_MS);
		left = end - milliseconds();
	}
	return n;
}
