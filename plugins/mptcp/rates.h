/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rates of subflows between two snapshots. */
#pragma once

#include "mptcp.h"

struct rates;

/* Return the rates, or NULL if out of memory. Free @before only after the result. */
struct rates *rates_new(nvme_mptcp_snapshot_t before, nvme_mptcp_snapshot_t now);
void rates_free(struct rates *rates);

/* Return the growth of a subflow's counter per second. A new subflow counts from 0. */
int64_t rates_of(const struct rates *rates, nvme_mptcp_connection_t conn, nvme_mptcp_subflow_t sf,
		 enum nvme_mptcp_subflow_value value);

DEFINE_CLEANUP(struct rates *, rates_free);
