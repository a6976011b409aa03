/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SMART / Health Information log where it is a part of something else. */
#pragma once

#include <libnvme.h>

#include "frame/out.h"

/* Its text as of the controller, and its fields as those of the open listing. */
void log_out_smart(struct out *out, const char *device, const struct nvme_smart_log *log);
