/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SMART / Health Information log as part of something else. */
#pragma once

#include <libnvme.h>

#include "frame/out.h"

/* Print the log: text as for the whole controller, JSON fields into the open listing. */
void log_out_smart(struct out *out, const char *device, const struct nvme_smart_log *log);
