/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which links carry the connections of a controller, and which ought to, see <nvme/mptcp.h>. */
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
 * A connection ought to have one subflow on each wire that leads to its target. What is there, what
 * is missing and what is too much is worked out once for each set of connections, when a snapshot
 * is taken; every command and the Python package read it from here.
 */

/**
 * enum nvme_mptcp_reason - why a link ought to carry a set of connections, or need not
 * @NVME_MPTCP_BY_ENDPOINT:	An endpoint on it starts subflows or, on a target, is announced
 * @NVME_MPTCP_BY_CONNECTION:	Another connection of the set has a subflow there
 * @NVME_MPTCP_BY_ROUTE:	It leads to the target: by its own network, or by a route to it
 * @NVME_MPTCP_BY_DEFAULT:	It leads to the target by a default route, as all others do
 * @NVME_MPTCP_BY_COUNT:	The connections followed announcements, and are down to one subflow; by
 *				which links is not known, so that there is none
 * @NVME_MPTCP_ELSEWHERE:	Need not: no route leads by it to the target
 * @NVME_MPTCP_BEHIND_DEFAULT:	Need not: only a default route leads by it to the target, and other
 *				links are in the target's networks
 * @NVME_MPTCP_NO_WAY_OUT:	Need not: a bridge of containers, a tunnel, one end of a veth next to
 *				network cards
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
 * Return: A static string such as "endpoint"; "unknown" for a reason that this library does not know.
 */
const char *nvme_mptcp_reason_name(enum nvme_mptcp_reason reason);

/**
 * enum nvme_mptcp_coverage_state - a connection on a link
 * @NVME_MPTCP_COVERED:	    One subflow that carries data is there
 * @NVME_MPTCP_MISSING:	    None is, and the link ought to carry the connection. An established
 *			    subflow that carries nothing counts as missing
 * @NVME_MPTCP_SUPERFLUOUS: Several are on the link, or on its wire
 * @NVME_MPTCP_UNWANTED:    None is, and none need be
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
 * nvme_mptcp_coverage_next() - go through the links that matter to a set of connections
 * @coverage: One of them, or NULL for the first one
 *
 * Return: The next one in the order of their interface indices, or NULL after the last one. What
 * is known of no link comes last.
 */
nvme_mptcp_coverage_t nvme_mptcp_coverage_next(nvme_mptcp_set_t set,
					       nvme_mptcp_coverage_t coverage);

/**
 * nvme_mptcp_for_each_coverage() - go through the links that matter to a set of connections
 * @set:      Set
 * @coverage: Name of the cursor, which is declared here
 */
#define nvme_mptcp_for_each_coverage(set, coverage) \
	for (nvme_mptcp_coverage_t coverage = nvme_mptcp_coverage_next(set, NULL); coverage; \
	     coverage = nvme_mptcp_coverage_next(set, coverage))

/**
 * nvme_mptcp_coverage_link() - the link
 *
 * Links that share a wire are one: the one that has the endpoint, else the one that is used.
 *
 * Return: The link, or NULL if it is unknown on which one subflows are missing.
 */
nvme_mptcp_link_t nvme_mptcp_coverage_link(nvme_mptcp_coverage_t coverage);

/**
 * nvme_mptcp_coverage_reason() - why it ought to carry the connections, or need not
 *
 * Return: The first reason that holds.
 */
enum nvme_mptcp_reason nvme_mptcp_coverage_reason(nvme_mptcp_coverage_t coverage);

/**
 * nvme_mptcp_coverage_trouble() - why it cannot carry anything at present
 *
 * Return: A static text such as "it has no carrier", about the link or about subflows there that are
 * established and carry nothing; NULL if nothing is known to be in the way.
 */
const char *nvme_mptcp_coverage_trouble(nvme_mptcp_coverage_t coverage);

/**
 * nvme_mptcp_coverage_count() - connections of a set by what they have on a link
 * @state:    State
 *
 * Connections in fallback, which have one link for good, and those that are not established are
 * not counted.
 *
 * Return: The number of connections in that state.
 */
size_t nvme_mptcp_coverage_count(nvme_mptcp_coverage_t coverage,
				 enum nvme_mptcp_coverage_state state);

/**
 * nvme_mptcp_coverage_pending() - connections that wait for a subflow there
 *
 * Return: How many of the missing ones have a join under way.
 */
size_t nvme_mptcp_coverage_pending(nvme_mptcp_coverage_t coverage);

/**
 * nvme_mptcp_coverage_backups() - connections whose only subflow there is a backup
 *
 * Return: How many of those covered.
 */
size_t nvme_mptcp_coverage_backups(nvme_mptcp_coverage_t coverage);

/**
 * nvme_mptcp_set_missing() - subflows that are missing in a set of connections
 *
 * Return: The sum of missing ones over all links.
 */
size_t nvme_mptcp_set_missing(nvme_mptcp_set_t set);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_COVERAGE_H */
