/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of the Persistent Event log. */
#pragma once

#include "log-page.h"

/* The name of an event type. */
const char *log_event_name(unsigned int type);

/*
 * What an event of @type has, in its @length bytes, which may be fewer than the type has: lines, and
 * fields of the open listing.
 */
void log_show_event(struct out *out, const char *device, unsigned int type,
		    const unsigned char *data, size_t length);
