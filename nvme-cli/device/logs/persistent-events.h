/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of the Persistent Event log. */
#pragma once

#include "log-page.h"

/* Return the name of an event type. */
const char *log_event_name(unsigned int type);

/*
 * Print the data of an event of @type as lines, and as fields of the open listing. @length may be
 * less than what the type defines.
 */
void log_show_event(struct out *out, const char *device, unsigned int type,
		    const unsigned char *data, size_t length);
