/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What subflows have carried since the snapshot before, per second. */
#pragma once

#include "mptcp.h"

struct rates;

/* @before must outlive the result. NULL without memory. */
struct rates *rates_new(nvme_mptcp_snapshot_t before, nvme_mptcp_snapshot_t now);
void rates_free(struct rates *rates);

/* How much a counter of a subflow has grown per second; a new subflow started at 0. */
int64_t rates_of(const struct rates *rates, nvme_mptcp_connection_t conn, nvme_mptcp_subflow_t sf,
		 enum nvme_mptcp_subflow_value value);

DEFINE_CLEANUP(struct rates *, rates_free);
