// SPDX-License-Identifier: LGPL-2.1-or-later
/* Public accessors of coverage. */
#include "coverage.h"
#include "snapshot.h"

bool coverage_is_wanted(const struct nvme_mptcp_coverage *coverage)
{
	return coverage_reason_wants(coverage->reason);
}

bool coverage_reason_wants(enum nvme_mptcp_reason reason)
{
	switch (reason) {
	case NVME_MPTCP_BY_ENDPOINT:
	case NVME_MPTCP_BY_CONNECTION:
	case NVME_MPTCP_BY_ROUTE:
	case NVME_MPTCP_BY_DEFAULT:
	case NVME_MPTCP_BY_COUNT:
		return true;
	default:
		return false;
	}
}

ARRAY_GETTER(nvme_mptcp_coverage_t, nvme_mptcp_coverage_next, nvme_mptcp_set_t, coverage,
	     n_coverage);
GETTER(nvme_mptcp_link_t, nvme_mptcp_coverage_link, nvme_mptcp_coverage_t, link);
GETTER(enum nvme_mptcp_reason, nvme_mptcp_coverage_reason, nvme_mptcp_coverage_t, reason);

const char *nvme_mptcp_coverage_trouble(nvme_mptcp_coverage_t coverage)
{
	const char *trouble = coverage->link ? link_trouble(coverage->link) : NULL;

	return trouble ? trouble : coverage->trouble;
}

size_t nvme_mptcp_coverage_count(nvme_mptcp_coverage_t coverage,
				 enum nvme_mptcp_coverage_state state)
{
	return (unsigned int)state <= NVME_MPTCP_UNWANTED ? coverage->count[state] : 0;
}

GETTER(size_t, nvme_mptcp_coverage_pending, nvme_mptcp_coverage_t, pending);
GETTER(size_t, nvme_mptcp_coverage_backups, nvme_mptcp_coverage_t, backups);

size_t nvme_mptcp_set_missing(nvme_mptcp_set_t set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n_coverage; i++)
		n += set->coverage[i].count[NVME_MPTCP_MISSING];
	return n;
}

const char *nvme_mptcp_reason_name(enum nvme_mptcp_reason reason)
{
	static const char *const names[] = {
		[NVME_MPTCP_BY_ENDPOINT] = "endpoint",
		[NVME_MPTCP_BY_CONNECTION] = "connection",
		[NVME_MPTCP_BY_ROUTE] = "route",
		[NVME_MPTCP_BY_DEFAULT] = "default-route",
		[NVME_MPTCP_BY_COUNT] = "announcements",
		[NVME_MPTCP_ELSEWHERE] = "elsewhere",
		[NVME_MPTCP_BEHIND_DEFAULT] = "only-default-route",
		[NVME_MPTCP_NO_WAY_OUT] = "no-way-out",
		[NVME_MPTCP_NO_ROOM] = "no-room",
	};

	return (unsigned int)reason < sizeof(names) / sizeof(*names) ? names[reason] : "unknown";
}

const char *nvme_mptcp_coverage_state_name(enum nvme_mptcp_coverage_state state)
{
	static const char *const names[] = {
		[NVME_MPTCP_COVERED] = "covered",
		[NVME_MPTCP_MISSING] = "missing",
		[NVME_MPTCP_SUPERFLUOUS] = "superfluous",
		[NVME_MPTCP_UNWANTED] = "unwanted",
	};

	return (unsigned int)state < sizeof(names) / sizeof(*names) ? names[state] : "unknown";
}
