/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of the Persistent Event log. */
#pragma once

#include "log-page.h"

/* Return the name of an event type. */
const char *log_event_name(unsigned int type);

/* Print an event's data, in JSON into the open listing. @length may be less than the type's. */
void log_show_event(struct out *out, const char *device, unsigned int type,
		    const unsigned char *data, size_t length);
