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
 * nvme_mptcp_ctrl_next() - iterate over the controllers
 * @ctrl: A controller, or NULL for the first one
 *
 * Return: The next controller in the order of their numbers, or NULL after the last one.
 */
nvme_mptcp_ctrl_t nvme_mptcp_ctrl_next(nvme_mptcp_snapshot_t snap, nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_for_each_ctrl() - iterate over the controllers
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

/** nvme_mptcp_ctrl_traddr() - address that it is connected to; NULL if unknown */
const char *nvme_mptcp_ctrl_traddr(nvme_mptcp_ctrl_t ctrl);

/** nvme_mptcp_ctrl_trsvcid() - port that it is connected to; NULL if unknown */
const char *nvme_mptcp_ctrl_trsvcid(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_ctrl_host_traddr() - requested source address
 *
 * Return: A string, or NULL if none was requested.
 */
const char *nvme_mptcp_ctrl_host_traddr(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_ctrl_host_iface() - requested network interface
 *
 * Return: A string, or NULL if none was requested.
 */
const char *nvme_mptcp_ctrl_host_iface(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_ctrl_src_addr() - source address of the admin queue
 *
 * Return: A string, or NULL if the kernel does not report it, e.g. while it reconnects.
 */
const char *nvme_mptcp_ctrl_src_addr(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_ctrl_expected() - expected number of connections
 *
 * Return: The number of queues including the admin queue, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_ctrl_expected(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_ctrl_is_relayed() - whether a relay carries its connections
 *
 * If so, its transport is plain TCP, and its connections are the MPTCP connections of the relay.
 *
 * Return: true if a relay serves its portal and the controller does not bypass it.
 */
bool nvme_mptcp_ctrl_is_relayed(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_ctrl_is_bypassed() - whether it bypasses the relay of its portal
 *
 * Such a controller connected while the relay was not running. It has no MPTCP connections and uses
 * one link until it is reset.
 *
 * Return: true if it is connected directly to a portal that a relay serves.
 */
bool nvme_mptcp_ctrl_is_bypassed(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_ctrl_connections() - connections of a controller
 *
 * Return: The set, which may be empty. Connections that other controllers may own too are not in
 * it, see nvme_mptcp_ctrl_n_shared().
 */
nvme_mptcp_set_t nvme_mptcp_ctrl_connections(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_ctrl_n_shared() - number of connections that it or another controller owns
 *
 * Return: The sum over all groups of shared connections that include it.
 */
size_t nvme_mptcp_ctrl_n_shared(nvme_mptcp_ctrl_t ctrl);

/**
 * nvme_mptcp_shared_next() - iterate over groups of connections that several controllers share
 * @sh:	  One such group, or NULL for the first one
 *
 * Return: The next group, or NULL after the last one.
 */
nvme_mptcp_shared_t nvme_mptcp_shared_next(nvme_mptcp_snapshot_t snap, nvme_mptcp_shared_t sh);

/**
 * nvme_mptcp_for_each_shared() - iterate over groups of connections that several controllers share
 * @snap: Snapshot
 * @sh:	  Name of the cursor, which is declared here
 */
#define nvme_mptcp_for_each_shared(snap, sh) \
	for (nvme_mptcp_shared_t sh = nvme_mptcp_shared_next(snap, NULL); sh; \
	     sh = nvme_mptcp_shared_next(snap, sh))

/**
 * nvme_mptcp_shared_ctrl() - controllers that may own the connections of a group
 * @i:	Number, from 0
 *
 * Return: Controller number @i, or NULL after the last one.
 */
nvme_mptcp_ctrl_t nvme_mptcp_shared_ctrl(nvme_mptcp_shared_t sh, size_t i);

/** nvme_mptcp_shared_connections() - the connections of a group */
nvme_mptcp_set_t nvme_mptcp_shared_connections(nvme_mptcp_shared_t sh);

/**
 * nvme_mptcp_connections() - connections without a controller, by kind
 * @kind: NVME_MPTCP_USERSPACE: owned by a process. NVME_MPTCP_NONE: owned by the kernel, but by no
 *	  controller; on a target, connections of its hosts
 *
 * Return: The set; NULL for any other @kind.
 */
nvme_mptcp_set_t nvme_mptcp_connections(nvme_mptcp_snapshot_t snap,
					enum nvme_mptcp_attribution kind);

/** nvme_mptcp_set_count() - number of connections in a set */
size_t nvme_mptcp_set_count(nvme_mptcp_set_t set);

/** nvme_mptcp_set_subflows() - number of subflows of a set */
size_t nvme_mptcp_set_subflows(nvme_mptcp_set_t set);

/** nvme_mptcp_set_fallback() - number of connections in fallback to plain TCP */
size_t nvme_mptcp_set_fallback(nvme_mptcp_set_t set);

/**
 * nvme_mptcp_usage_next() - iterate over the links that a set of connections uses
 * @usage: One such link, or NULL for the first one
 *
 * Return: The next one in the order of their interface indices, or NULL after the last one.
 */
nvme_mptcp_usage_t nvme_mptcp_usage_next(nvme_mptcp_set_t set, nvme_mptcp_usage_t usage);

/**
 * nvme_mptcp_for_each_usage() - iterate over the links that a set of connections uses
 * @set:   Set
 * @usage: Name of the cursor, which is declared here
 */
#define nvme_mptcp_for_each_usage(set, usage) \
	for (nvme_mptcp_usage_t usage = nvme_mptcp_usage_next(set, NULL); usage; \
	     usage = nvme_mptcp_usage_next(set, usage))

/** nvme_mptcp_usage_link() - link; NULL for subflows on an unknown link */
nvme_mptcp_link_t nvme_mptcp_usage_link(nvme_mptcp_usage_t usage);

/**
 * nvme_mptcp_usage_possible_link() - possible links of subflows on an unknown link
 * @usage: Usage of an unknown link
 * @i:     Number, from 0
 *
 * Return: The link, see nvme_mptcp_subflow_possible_link(), or NULL after the last one.
 */
nvme_mptcp_link_t nvme_mptcp_usage_possible_link(nvme_mptcp_usage_t usage, size_t i);

/**
 * nvme_mptcp_usage_subflows() - number of subflows on the link that carry data
 *
 * Return: The number, see nvme_mptcp_subflow_is_carrying(); 0 if all subflows of the link are
 * pending or dead.
 */
size_t nvme_mptcp_usage_subflows(nvme_mptcp_usage_t usage);

/**
 * nvme_mptcp_usage_dead() - number of established subflows on the link that carry no data
 *
 * Return: The number, see nvme_mptcp_subflow_trouble().
 */
size_t nvme_mptcp_usage_dead(nvme_mptcp_usage_t usage);

/**
 * nvme_mptcp_usage_pending() - number of subflows that are not established
 *
 * Return: The number of connecting, closing and closed subflows.
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
 * Return: The next connection, in the same order in each snapshot, or NULL after the last one.
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
 * nvme_mptcp_connection_token() - token of a connection in this network namespace
 *
 * Return: The local token, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_connection_token(nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_connection_attribution() - how its controller was determined
 *
 * Return: The attribution; NVME_MPTCP_SHARED and NVME_MPTCP_NONE mean that it has no known
 * controller.
 */
enum nvme_mptcp_attribution nvme_mptcp_connection_attribution(nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_attribution_name() - name of an attribution, as in JSON
 * @attribution: Attribution
 *
 * Return: A static string such as "exact"; "unknown" for any other.
 */
const char *nvme_mptcp_attribution_name(enum nvme_mptcp_attribution attribution);

/** nvme_mptcp_connection_ctrl() - controller that owns it, or NULL */
nvme_mptcp_ctrl_t nvme_mptcp_connection_ctrl(nvme_mptcp_connection_t conn);

/** nvme_mptcp_connection_state() - state of the socket, e.g. "ESTAB" or "SYN-SENT" */
const char *nvme_mptcp_connection_state(nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_connection_fallback() - whether it is in fallback to plain TCP
 *
 * Return: 1, 0, or NVME_MPTCP_UNKNOWN.
 */
int nvme_mptcp_connection_fallback(nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_connection_local() - local address and port
 *
 * Its subflows may have other local addresses.
 *
 * Return: A string such as "192.0.2.1:40000" or "[2001:db8::1]:40000".
 */
const char *nvme_mptcp_connection_local(nvme_mptcp_connection_t conn);

/** nvme_mptcp_connection_remote() - remote address and port, e.g. "192.0.2.1:4420" */
const char *nvme_mptcp_connection_remote(nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_connection_inode() - inode number of the socket, as in /proc/PID/fd
 *
 * Return: The inode number; 0 if the socket has none.
 */
uint32_t nvme_mptcp_connection_inode(nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_connection_pid() - process that owns the socket
 *
 * Return: The process id; 0 if the kernel owns the socket; NVME_MPTCP_UNKNOWN if the caller may not
 * see that.
 */
int64_t nvme_mptcp_connection_pid(nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_connection_value() - get a statistic of a connection
 * @value: Which
 *
 * Return: The number, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_connection_value(nvme_mptcp_connection_t conn,
				    enum nvme_mptcp_connection_value value);

/**
 * nvme_mptcp_connection_value_name() - name of a statistic, as in JSON
 * @value: Which
 *
 * Return: A static string such as "bytes_sent", or NULL if there is no such number.
 */
const char *nvme_mptcp_connection_value_name(enum nvme_mptcp_connection_value value);

/**
 * nvme_mptcp_connection_n_subflows() - number of subflows of a connection
 *
 * Return: The number of subflows in the snapshot, pending ones included.
 */
size_t nvme_mptcp_connection_n_subflows(nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_subflow_next() - iterate over the subflows of a connection
 * @sf:	  A subflow of it, or NULL for the first one
 *
 * Return: The next subflow in the order of their address ids, or NULL after the last one.
 */
nvme_mptcp_subflow_t nvme_mptcp_subflow_next(nvme_mptcp_connection_t conn, nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_for_each_subflow() - iterate over the subflows of a connection
 * @conn: Connection
 * @sf:	  Name of the cursor, which is declared here
 */
#define nvme_mptcp_for_each_subflow(conn, sf) \
	for (nvme_mptcp_subflow_t sf = nvme_mptcp_subflow_next(conn, NULL); sf; \
	     sf = nvme_mptcp_subflow_next(conn, sf))

/**
 * nvme_mptcp_subflow_local() - local address and port of a subflow
 *
 * Return: A string such as "192.0.2.1:40000" or "[2001:db8::1]:40000".
 */
const char *nvme_mptcp_subflow_local(nvme_mptcp_subflow_t sf);

/** nvme_mptcp_subflow_remote() - remote address and port of a subflow, e.g. "192.0.2.1:4420" */
const char *nvme_mptcp_subflow_remote(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_link() - link of a subflow
 *
 * The device that the socket is bound to; otherwise the device of the route; otherwise the device
 * with its local address.
 *
 * Return: The link, or NULL if unknown, e.g. if the route has next hops on several links and their
 * counters do not show which one the kernel uses.
 */
nvme_mptcp_link_t nvme_mptcp_subflow_link(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_possible_link() - possible links of a subflow with a multipath route
 * @i:  Number, from 0
 *
 * If a route has next hops on several links, the kernel selects one of them for each socket.
 *
 * Return: The link, or NULL after the last one; a subflow with only one possible link has none.
 */
nvme_mptcp_link_t nvme_mptcp_subflow_possible_link(nvme_mptcp_subflow_t sf, size_t i);

/**
 * nvme_mptcp_subflow_is_bound() - whether a subflow is bound to its link
 *
 * Return: true if it is; false if routing decides.
 */
bool nvme_mptcp_subflow_is_bound(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_id_local() - address id of the local address
 *
 * Return: 0 for the initial subflow, otherwise the id of its endpoint; NVME_MPTCP_UNKNOWN.
 */
int nvme_mptcp_subflow_id_local(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_id_remote() - address id of the remote address
 *
 * Return: 0 for the address that the connection was made to, otherwise the id that the peer
 * announced; NVME_MPTCP_UNKNOWN.
 */
int nvme_mptcp_subflow_id_remote(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_flags() - flags that the kernel reports
 *
 * Return: Or-ed &enum nvme_mptcp_subflow_flag and bits of later kernels, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_subflow_flags(nvme_mptcp_subflow_t sf);

/** nvme_mptcp_subflow_state() - state of the socket, e.g. "ESTAB" or "SYN-SENT" */
const char *nvme_mptcp_subflow_state(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_is_established() - whether the socket of a subflow is established
 *
 * The kernel does not change this state when the link goes down or loses its carrier: use
 * nvme_mptcp_subflow_is_carrying() to find out whether the subflow carries data.
 *
 * Return: true if its socket is established.
 */
bool nvme_mptcp_subflow_is_established(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_is_confirmed() - whether the peer has confirmed the join of a subflow
 *
 * The kernel sends no data on an unconfirmed subflow. The last packet of a join may be lost
 * permanently: after a second without an answer the subflow does not carry, see
 * nvme_mptcp_subflow_trouble().
 *
 * Return: false if this side has joined and waits for confirmation; true also if the flags are
 * unknown.
 */
bool nvme_mptcp_subflow_is_confirmed(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_is_carrying() - whether a subflow carries data
 *
 * Return: true if its socket is established, its link is up and has a carrier, an interface that is
 * up has its local address, there is a route to its peer, the peer has confirmed its join, and it
 * makes progress when it has data. An unknown link counts as usable, and an unconfirmed join counts
 * as confirmed for a second. A subflow makes no progress if it has had three or more consecutive
 * retransmission time-outs while another subflow of the connection was acknowledged.
 */
bool nvme_mptcp_subflow_is_carrying(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_trouble() - why an established subflow carries no data
 *
 * Return: A static text about the subflow or its link, e.g. "it has no carrier"; NULL if it carries
 * data or is not established.
 */
const char *nvme_mptcp_subflow_trouble(nvme_mptcp_subflow_t sf);

/**
 * nvme_mptcp_subflow_value() - get a statistic of a subflow
 * @value: Which
 *
 * Return: The number, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_subflow_value(nvme_mptcp_subflow_t sf, enum nvme_mptcp_subflow_value value);

/**
 * nvme_mptcp_subflow_value_name() - name of a statistic, as in JSON
 * @value: Which
 *
 * Return: A static string such as "rtt_us", or NULL if there is no such number.
 */
const char *nvme_mptcp_subflow_value_name(enum nvme_mptcp_subflow_value value);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_CONNECTION_H */
