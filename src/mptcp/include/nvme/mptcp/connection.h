/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Controllers, connections and subflows of a snapshot, see <nvme/mptcp.h>. */
#ifndef _LIBNVME_MPTCP_CONNECTION_H
#define _LIBNVME_MPTCP_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvme/mptcp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * nvme_mptcp_ctrl_next() - go through the controllers
 * @ctrl: A controller, or NULL for the first one
 *
 * Return: The next controller in the order of their numbers, or NULL after the last one.
 */
nvme_mptcp_ctrl_t nvme_mptcp_ctrl_next(nvme_mptcp_snapshot_t snap, nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_for_each_ctrl() - go through the controllers
 * @snap: Snapshot
 * @ctrl: Name of the cursor, which is declared here
 */
#define nvme_mptcp_for_each_ctrl(snap, ctrl) \
	for (nvme_mptcp_ctrl_t ctrl = nvme_mptcp_ctrl_next(snap, NULL); ctrl; \
	     ctrl = nvme_mptcp_ctrl_next(snap, ctrl))

/** nvme_mptcp_ctrl_name() - name, e.g. nvme1 */
const char *nvme_mptcp_ctrl_name(nvme_mptcp_ctrl_t ctrl);

/** nvme_mptcp_ctrl_subsysnqn() - NQN of its subsystem; NULL if unknown */
const char *nvme_mptcp_ctrl_subsysnqn(nvme_mptcp_ctrl_t ctrl);

/** nvme_mptcp_ctrl_transport() - transport, e.g. "mptcp" */
const char *nvme_mptcp_ctrl_transport(nvme_mptcp_ctrl_t ctrl);

/** nvme_mptcp_ctrl_state() - state when the snapshot was taken, e.g. "live"; NULL if unknown */
const char *nvme_mptcp_ctrl_state(nvme_mptcp_ctrl_t ctrl);

/** nvme_mptcp_ctrl_traddr() - address that it was connected to; NULL if unknown */
const char *nvme_mptcp_ctrl_traddr(nvme_mptcp_ctrl_t ctrl);

/** nvme_mptcp_ctrl_trsvcid() - port that it was connected to; NULL if unknown */
const char *nvme_mptcp_ctrl_trsvcid(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_ctrl_host_traddr() - address that it was to be connected from
 *
 * Return: A string, or NULL if none was asked for.
 */
const char *nvme_mptcp_ctrl_host_traddr(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_ctrl_host_iface() - interface that it was to be connected from
 *
 * Return: A string, or NULL if none was asked for.
 */
const char *nvme_mptcp_ctrl_host_iface(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_ctrl_src_addr() - address that its admin queue was connected from
 *
 * Return: A string, or NULL if the kernel does not report it, as while it reconnects.
 */
const char *nvme_mptcp_ctrl_src_addr(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_ctrl_expected() - how many connections it should have
 *
 * Return: Its queues, the admin queue included, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_ctrl_expected(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_ctrl_is_relayed() - does a relay carry its connections?
 *
 * Its transport is plain TCP then, and its connections are the MPTCP connections of the relay.
 *
 * Return: True if a relay runs that serves its portal, and it is not past it.
 */
bool nvme_mptcp_ctrl_is_relayed(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_ctrl_is_bypassed() - is it connected straight to a portal that a relay serves?
 *
 * Such a controller connected while the relay was away. It has no MPTCP connections, and uses one link
 * until it is reset.
 *
 * Return: True if that is so.
 */
bool nvme_mptcp_ctrl_is_bypassed(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_ctrl_connections() - the connections that belong to it
 *
 * Return: The set, which may be empty. Connections that other controllers may own as well are not
 * in it, see nvme_mptcp_ctrl_n_shared().
 */
nvme_mptcp_set_t nvme_mptcp_ctrl_connections(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_ctrl_n_shared() - how many connections it may own, or another controller
 *
 * Return: The sum over all &nvme_mptcp_shared_t that name it.
 */
size_t nvme_mptcp_ctrl_n_shared(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_shared_next() - go through the connections that several controllers share
 * @sh:	  One such group, or NULL for the first one
 *
 * Return: The next group, or NULL after the last one.
 */
nvme_mptcp_shared_t nvme_mptcp_shared_next(nvme_mptcp_snapshot_t snap, nvme_mptcp_shared_t sh);

/**
 * nvme_mptcp_for_each_shared() - go through the connections that several controllers share
 * @snap: Snapshot
 * @sh:	  Name of the cursor, which is declared here
 */
#define nvme_mptcp_for_each_shared(snap, sh) \
	for (nvme_mptcp_shared_t sh = nvme_mptcp_shared_next(snap, NULL); sh; \
	     sh = nvme_mptcp_shared_next(snap, sh))

/**
 * nvme_mptcp_shared_ctrl() - the controllers that these connections may belong to
 * @i:	Number, from 0
 *
 * Return: Controller number @i, or NULL after the last one.
 */
nvme_mptcp_ctrl_t nvme_mptcp_shared_ctrl(nvme_mptcp_shared_t sh, size_t i);

/** nvme_mptcp_shared_connections() - the connections of a group */
nvme_mptcp_set_t nvme_mptcp_shared_connections(nvme_mptcp_shared_t sh);

/**
 * nvme_mptcp_connections() - connections by what they are
 * @kind: NVME_MPTCP_USERSPACE: held by a process. NVME_MPTCP_NONE: the kernel's, but of no
 *	  controller; on a target, those of its hosts
 *
 * Return: The set; NULL for any other @kind.
 */
nvme_mptcp_set_t nvme_mptcp_connections(nvme_mptcp_snapshot_t snap,
					enum nvme_mptcp_attribution kind);

/** nvme_mptcp_set_count() - how many connections are in a set */
size_t nvme_mptcp_set_count(nvme_mptcp_set_t set);

/** nvme_mptcp_set_subflows() - how many subflows they have */
size_t nvme_mptcp_set_subflows(nvme_mptcp_set_t set);

/** nvme_mptcp_set_fallback() - how many of them fell back to plain TCP */
size_t nvme_mptcp_set_fallback(nvme_mptcp_set_t set);

/**
 * nvme_mptcp_usage_next() - go through the links that a set of connections uses
 * @usage: One such link, or NULL for the first one
 *
 * Return: The next one in the order of their interface indices, or NULL after the last one.
 */
nvme_mptcp_usage_t nvme_mptcp_usage_next(nvme_mptcp_set_t set, nvme_mptcp_usage_t usage);

/**
 * nvme_mptcp_for_each_usage() - go through the links that a set of connections uses
 * @set:   Set
 * @usage: Name of the cursor, which is declared here
 */
#define nvme_mptcp_for_each_usage(set, usage) \
	for (nvme_mptcp_usage_t usage = nvme_mptcp_usage_next(set, NULL); usage; \
	     usage = nvme_mptcp_usage_next(set, usage))

/** nvme_mptcp_usage_link() - the link; NULL for subflows whose link is not known */
nvme_mptcp_link_t nvme_mptcp_usage_link(nvme_mptcp_usage_t usage);

/**
 * nvme_mptcp_usage_possible_link() - a link that subflows may leave by whose link is not known
 * @usage: Use of a link that is not known
 * @i:     Number, from 0
 *
 * Return: The link, see nvme_mptcp_subflow_possible_link(), or NULL if there are not so many.
 */
nvme_mptcp_link_t nvme_mptcp_usage_possible_link(nvme_mptcp_usage_t usage, size_t i);

/**
 * nvme_mptcp_usage_subflows() - subflows on the link that carry data
 *
 * Return: The number, see nvme_mptcp_subflow_is_carrying(); 0 if all subflows of the link are pending
 * or dead.
 */
size_t nvme_mptcp_usage_subflows(nvme_mptcp_usage_t usage);

/**
 * nvme_mptcp_usage_dead() - established subflows on the link that carry nothing
 *
 * Return: The number, see nvme_mptcp_subflow_trouble().
 */
size_t nvme_mptcp_usage_dead(nvme_mptcp_usage_t usage);

/**
 * nvme_mptcp_usage_pending() - subflows that are not established
 *
 * Return: The number: connecting, closing or closed ones.
 */
size_t nvme_mptcp_usage_pending(nvme_mptcp_usage_t usage);

/**
 * nvme_mptcp_usage_bytes_sent() - bytes that live subflows have sent over the link
 *
 * Return: Bytes, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_usage_bytes_sent(nvme_mptcp_usage_t usage);

/**
 * nvme_mptcp_usage_bytes_received() - bytes that live subflows have received over the link
 *
 * Return: Bytes, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_usage_bytes_received(nvme_mptcp_usage_t usage);

/**
 * nvme_mptcp_connection_next() - go through a set of connections
 * @conn: A connection of the set, or NULL for the first one
 *
 * Return: The next connection in an order that is the same in each snapshot, or NULL after the
 * last one.
 */
nvme_mptcp_connection_t nvme_mptcp_connection_next(nvme_mptcp_set_t set,
						   nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_for_each_connection() - go through a set of connections
 * @set:  Set
 * @conn: Name of the cursor, which is declared here
 */
#define nvme_mptcp_for_each_connection(set, conn) \
	for (nvme_mptcp_connection_t conn = nvme_mptcp_connection_next(set, NULL); conn; \
	     conn = nvme_mptcp_connection_next(set, conn))

/**
 * nvme_mptcp_connection_token() - the number that names it in this network namespace
 *
 * Return: The local token, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_connection_token(nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_connection_attribution() - how it was found to belong to a controller
 *
 * Return: The way; NVME_MPTCP_SHARED and NVME_MPTCP_NONE mean that it was not.
 */
enum nvme_mptcp_attribution nvme_mptcp_connection_attribution(nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_attribution_name() - name of a way, as in JSON
 * @attribution: Way
 *
 * Return: A static string such as "exact"; "unknown" for any other.
 */
const char *nvme_mptcp_attribution_name(enum nvme_mptcp_attribution attribution);

/** nvme_mptcp_connection_ctrl() - the controller that it belongs to, or NULL */
nvme_mptcp_ctrl_t nvme_mptcp_connection_ctrl(nvme_mptcp_connection_t conn);

/** nvme_mptcp_connection_state() - state of the socket, e.g. "ESTAB" or "SYN-SENT" */
const char *nvme_mptcp_connection_state(nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_connection_fallback() - has it fallen back to plain TCP?
 *
 * Return: 1, 0, or NVME_MPTCP_UNKNOWN.
 */
int nvme_mptcp_connection_fallback(nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_connection_local() - address that it was connected from
 *
 * Its subflows may leave from other addresses.
 *
 * Return: A string such as "192.0.2.1:40000" or "[2001:db8::1]:40000".
 */
const char *nvme_mptcp_connection_local(nvme_mptcp_connection_t conn);

/** nvme_mptcp_connection_remote() - address that it was connected to, e.g. "192.0.2.1:4420" */
const char *nvme_mptcp_connection_remote(nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_connection_inode() - number of the socket, as in /proc/PID/fd
 *
 * Return: The inode number; 0 if the socket has none.
 */
uint32_t nvme_mptcp_connection_inode(nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_connection_pid() - a process that holds the socket
 *
 * Return: Its id; 0 if none does, so that the socket is the kernel's; NVME_MPTCP_UNKNOWN if the
 * caller may not see that.
 */
int64_t nvme_mptcp_connection_pid(nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_connection_value() - a number of a connection
 * @value: Which
 *
 * Return: The number, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_connection_value(nvme_mptcp_connection_t conn,
				    enum nvme_mptcp_connection_value value);

/**
 * nvme_mptcp_connection_value_name() - name of a number, as in JSON
 * @value: Which
 *
 * Return: A static string such as "bytes_sent", or NULL if there is no such number.
 */
const char *nvme_mptcp_connection_value_name(enum nvme_mptcp_connection_value value);

/**
 * nvme_mptcp_connection_n_subflows() - how many subflows it has
 *
 * Return: The number of subflows that were seen, pending ones included.
 */
size_t nvme_mptcp_connection_n_subflows(nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_subflow_next() - go through the subflows of a connection
 * @sf:	  A subflow of it, or NULL for the first one
 *
 * Return: The next subflow in the order of their address ids, or NULL after the last one.
 */
nvme_mptcp_subflow_t nvme_mptcp_subflow_next(nvme_mptcp_connection_t conn, nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_for_each_subflow() - go through the subflows of a connection
 * @conn: Connection
 * @sf:	  Name of the cursor, which is declared here
 */
#define nvme_mptcp_for_each_subflow(conn, sf) \
	for (nvme_mptcp_subflow_t sf = nvme_mptcp_subflow_next(conn, NULL); sf; \
	     sf = nvme_mptcp_subflow_next(conn, sf))

/**
 * nvme_mptcp_subflow_local() - address that it leaves from
 *
 * Return: A string such as "192.0.2.1:40000" or "[2001:db8::1]:40000".
 */
const char *nvme_mptcp_subflow_local(nvme_mptcp_subflow_t sf);

/** nvme_mptcp_subflow_remote() - address that it leads to, e.g. "192.0.2.1:4420" */
const char *nvme_mptcp_subflow_remote(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_link() - the link that it leaves by
 *
 * The device that the socket is bound to; else the one that the kernel routes it to; else the one
 * that has its local address.
 *
 * Return: The link, or NULL if unknown, as where the route has next hops on several links and their
 * counters do not tell which one the kernel picked.
 */
nvme_mptcp_link_t nvme_mptcp_subflow_link(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_possible_link() - a link of the next hops of its route
 * @i:  Number, from 0
 *
 * Where a route has next hops on several links, the kernel picks one of them for each socket.
 *
 * Return: The link, or NULL if there are not so many; a subflow that can leave by one link only has none.
 */
nvme_mptcp_link_t nvme_mptcp_subflow_possible_link(nvme_mptcp_subflow_t sf, size_t i);

/**
 * nvme_mptcp_subflow_is_bound() - is it bound to its link?
 *
 * Return: true if it is; false if routing decides.
 */
bool nvme_mptcp_subflow_is_bound(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_id_local() - id of its local address
 *
 * Return: 0 for the initial subflow, else the id of its endpoint; NVME_MPTCP_UNKNOWN.
 */
int nvme_mptcp_subflow_id_local(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_id_remote() - id of its remote address
 *
 * Return: 0 for the address that the connection was made to, else the id that the peer announced;
 * NVME_MPTCP_UNKNOWN.
 */
int nvme_mptcp_subflow_id_remote(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_flags() - the flags that the kernel reports
 *
 * Return: Or-ed &enum nvme_mptcp_subflow_flag and bits of later kernels, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_subflow_flags(nvme_mptcp_subflow_t sf);

/** nvme_mptcp_subflow_state() - state of the socket, e.g. "ESTAB" or "SYN-SENT" */
const char *nvme_mptcp_subflow_state(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_is_established() - is its socket established?
 *
 * The kernel leaves it so when its link goes down or loses its carrier: use
 * nvme_mptcp_subflow_is_carrying() to find out whether it carries data.
 *
 * Return: true if its socket is established.
 */
bool nvme_mptcp_subflow_is_established(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_is_confirmed() - has the other end confirmed its join?
 *
 * Until then the kernel sends no data on it. The last packet of a join may be lost for good: after a
 * second without an answer the subflow does not carry, see nvme_mptcp_subflow_trouble().
 *
 * Return: false if this side has made it by a join that waits for confirmation; true also if its flags are
 * not known.
 */
bool nvme_mptcp_subflow_is_confirmed(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_is_carrying() - does it carry data?
 *
 * Return: true if its socket is established, its link is up and has a carrier, an interface that is up
 * has its local address, a route leads to its peer, the peer has confirmed its join, and it makes
 * progress when it has data. A link that is not known counts as usable, and so does a join for a second.
 * A subflow without progress has seen three or more retransmission time-outs in a row, while another
 * subflow of the connection was acknowledged.
 */
bool nvme_mptcp_subflow_is_carrying(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_trouble() - why an established subflow carries nothing
 *
 * Return: A static text about the subflow or its link, such as "it has no carrier"; NULL if it carries
 * or is not established.
 */
const char *nvme_mptcp_subflow_trouble(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_value() - a number of a subflow
 * @value: Which
 *
 * Return: The number, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_subflow_value(nvme_mptcp_subflow_t sf, enum nvme_mptcp_subflow_value value);

/**
 * nvme_mptcp_subflow_value_name() - name of a number, as in JSON
 * @value: Which
 *
 * Return: A static string such as "rtt_us", or NULL if there is no such number.
 */
const char *nvme_mptcp_subflow_value_name(enum nvme_mptcp_subflow_value value);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_CONNECTION_H */
