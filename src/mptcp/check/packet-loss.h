/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes of packets that a path takes, and packets that get lost on it. */
#pragma once

#include "rules.h"

/* Report a path whose packets are smaller than its link's. */
void check_report_path_mtu(struct check *c, enum rule_id rule);

/* Complete "loses packets of N bytes": where they are lost. */
void check_say_large_lost(struct check *c, struct nvme_mptcp_finding *f,
			  const struct size_probe *probe, const struct nvme_mptcp_link *link);

/* Report links that lose some packets of any size, of the first @n of c->paths. */
void check_report_losses(struct check *c, enum rule_id rule, size_t n);
