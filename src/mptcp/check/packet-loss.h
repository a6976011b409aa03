/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes of packets that a path takes, and packets that get lost on it. */
#pragma once

#include "rules.h"

/* Report a path whose packets are smaller than its link's. */
void check_report_path_mtu(struct check *c, enum rule_id rule);

/* Report links that lose large packets, or some of any size, on the first @n of c->paths. */
void check_report_losses(struct check *c, enum rule_id rule, size_t n);
