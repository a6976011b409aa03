/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Links that carry the connections of a controller, and links that should, see <nvme/mptcp.h>. */
#ifndef _LIBNVME_MPTCP_COVERAGE_H
#define _LIBNVME_MPTCP_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvme/mptcp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * DOC: Coverage
 *
 * A connection should have one subflow on each wire that leads to its target. Existing, missing and
 * superfluous subflows are determined once for each set of connections, when a snapshot is taken.
 * All commands and the Python package use this result.
 */

/**
 * enum nvme_mptcp_reason - why a link should carry a set of connections, or need not
 * @NVME_MPTCP_BY_ENDPOINT:	An endpoint on it starts subflows or, on a target, is announced
 * @NVME_MPTCP_BY_CONNECTION:	Another connection of the set has a subflow there
 * @NVME_MPTCP_BY_ROUTE:	It leads to the target: over a directly connected network or a
 *				specific route
 * @NVME_MPTCP_BY_DEFAULT:	It leads to the target over a default route, like all other links
 * @NVME_MPTCP_BY_COUNT:	The connections used announced addresses and have only one subflow
 *				left; the links are unknown, so there is no link
 * @NVME_MPTCP_ELSEWHERE:	Need not: it has no route to the target
 * @NVME_MPTCP_BEHIND_DEFAULT:	Need not: it leads to the target over a default route only, and
 *				other links are in the target's networks
 * @NVME_MPTCP_NO_WAY_OUT:	Need not: a container bridge, a tunnel, or one end of a veth while
 *				there are network cards
 * @NVME_MPTCP_NO_ROOM:		Need not: it has no endpoint, and the kernel's table is full of
 *				endpoints that all start subflows to the target
 */
enum nvme_mptcp_reason {
	NVME_MPTCP_BY_ENDPOINT,
	NVME_MPTCP_BY_CONNECTION,
	NVME_MPTCP_BY_ROUTE,
	NVME_MPTCP_BY_DEFAULT,
	NVME_MPTCP_BY_COUNT,
	NVME_MPTCP_ELSEWHERE,
	NVME_MPTCP_BEHIND_DEFAULT,
	NVME_MPTCP_NO_WAY_OUT,
	NVME_MPTCP_NO_ROOM,
};

/**
 * nvme_mptcp_reason_name() - name of a reason, as in JSON
 * @reason: Reason
 *
 * Return: A static string such as "endpoint"; "unknown" for a reason that this library does not
 * know.
 */
const char *nvme_mptcp_reason_name(enum nvme_mptcp_reason reason);

/**
 * enum nvme_mptcp_coverage_state - state of a connection on a link
 * @NVME_MPTCP_COVERED:	    It has one subflow that carries data
 * @NVME_MPTCP_MISSING:	    It has none, and the link should carry the connection. An established
 *			    subflow that carries no data counts as missing
 * @NVME_MPTCP_SUPERFLUOUS: It has several on the link or its wire
 * @NVME_MPTCP_UNWANTED:    It has none and needs none
 */
enum nvme_mptcp_coverage_state {
	NVME_MPTCP_COVERED,
	NVME_MPTCP_MISSING,
	NVME_MPTCP_SUPERFLUOUS,
	NVME_MPTCP_UNWANTED,
};

/**
 * nvme_mptcp_coverage_state_name() - name of a state, as in JSON
 * @state: State
 *
 * Return: A static string such as "missing"; "unknown" for any other.
 */
const char *nvme_mptcp_coverage_state_name(enum nvme_mptcp_coverage_state state);

/**
 * nvme_mptcp_coverage_next() - iterate over the relevant links of a set of connections
 * @coverage: One of them, or NULL for the first one
 *
 * Return: The next one in the order of their interface indices, or NULL after the last one. The
 * entry without a link comes last.
 */
nvme_mptcp_coverage_t nvme_mptcp_coverage_next(nvme_mptcp_set_t set,
					       nvme_mptcp_coverage_t coverage);

/**
 * nvme_mptcp_for_each_coverage() - iterate over the relevant links of a set of connections
 * @set:      Set
 * @coverage: Name of the cursor, which is declared here
 */
#define nvme_mptcp_for_each_coverage(set, coverage) \
	for (nvme_mptcp_coverage_t coverage = nvme_mptcp_coverage_next(set, NULL); coverage; \
	     coverage = nvme_mptcp_coverage_next(set, coverage))

/**
 * nvme_mptcp_coverage_link() - the link
 *
 * Links that share a wire are one entry: the link with the endpoint, otherwise the one in use.
 *
 * Return: The link, or NULL if it is unknown on which links subflows are missing.
 */
nvme_mptcp_link_t nvme_mptcp_coverage_link(nvme_mptcp_coverage_t coverage);

/**
 * nvme_mptcp_coverage_reason() - why the link should carry the connections, or need not
 *
 * Return: The first reason that applies.
 */
enum nvme_mptcp_reason nvme_mptcp_coverage_reason(nvme_mptcp_coverage_t coverage);

/**
 * nvme_mptcp_coverage_trouble() - why the link cannot carry data now
 *
 * Return: A static text such as "it has no carrier", about the link or about established subflows
 * on it that carry no data; NULL if no problem is known.
 */
const char *nvme_mptcp_coverage_trouble(nvme_mptcp_coverage_t coverage);

/**
 * nvme_mptcp_coverage_count() - number of connections by state on a link
 * @state:    State
 *
 * Connections in fallback, which only ever have one link, and connections that are not established
 * are not counted.
 *
 * Return: The number of connections in that state.
 */
size_t nvme_mptcp_coverage_count(nvme_mptcp_coverage_t coverage,
				 enum nvme_mptcp_coverage_state state);

/**
 * nvme_mptcp_coverage_pending() - number of connections with a pending subflow on the link
 *
 * Return: The number of connections counted as missing whose join is in progress.
 */
size_t nvme_mptcp_coverage_pending(nvme_mptcp_coverage_t coverage);

/**
 * nvme_mptcp_coverage_backups() - number of connections whose only subflow on the link is a backup
 *
 * Return: The number among the covered connections.
 */
size_t nvme_mptcp_coverage_backups(nvme_mptcp_coverage_t coverage);

/**
 * nvme_mptcp_set_missing() - number of missing subflows in a set of connections
 *
 * Return: The sum of missing subflows over all links.
 */
size_t nvme_mptcp_set_missing(nvme_mptcp_set_t set);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_COVERAGE_H */
