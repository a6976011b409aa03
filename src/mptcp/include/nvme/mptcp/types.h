/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handles and enumerations of <nvme/mptcp.h>. */
#ifndef _LIBNVME_MPTCP_TYPES_H
#define _LIBNVME_MPTCP_TYPES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Value of a number that the kernel does not report. */
#define NVME_MPTCP_UNKNOWN (-1)

typedef struct nvme_mptcp_snapshot *nvme_mptcp_snapshot_t;
typedef const struct nvme_mptcp_ctrl *nvme_mptcp_ctrl_t;
typedef const struct nvme_mptcp_shared *nvme_mptcp_shared_t;
typedef const struct nvme_mptcp_set *nvme_mptcp_set_t;
typedef const struct nvme_mptcp_usage *nvme_mptcp_usage_t;
typedef const struct nvme_mptcp_coverage *nvme_mptcp_coverage_t;
typedef const struct nvme_mptcp_connection *nvme_mptcp_connection_t;
typedef const struct nvme_mptcp_subflow *nvme_mptcp_subflow_t;
typedef const struct nvme_mptcp_endpoint *nvme_mptcp_endpoint_t;
typedef const struct nvme_mptcp_link *nvme_mptcp_link_t;

/**
 * enum nvme_mptcp_part - parts of a snapshot, which are read separately
 * @NVME_MPTCP_SETTINGS:    /proc/sys/net/mptcp
 * @NVME_MPTCP_COUNTERS:    /proc/net/netstat and /proc/net/snmp
 * @NVME_MPTCP_LIMITS:	    Limits of the path manager
 * @NVME_MPTCP_ENDPOINTS:   Endpoints of the path manager
 * @NVME_MPTCP_CONNECTIONS: MPTCP sockets
 * @NVME_MPTCP_SUBFLOWS:    TCP sockets with MPTCP data
 * @NVME_MPTCP_LINKS:	    Network interfaces
 * @NVME_MPTCP_ADDRESSES:   Addresses of the network interfaces
 * @NVME_MPTCP_OWNERS:	    Which processes hold MPTCP sockets
 * @NVME_MPTCP_CONTROLLERS: Controllers, from the tree
 * @NVME_MPTCP_RECORDS:	    Records of connections, see nvme_mptcp_record_end()
 */
enum nvme_mptcp_part {
	NVME_MPTCP_SETTINGS,
	NVME_MPTCP_COUNTERS,
	NVME_MPTCP_LIMITS,
	NVME_MPTCP_ENDPOINTS,
	NVME_MPTCP_CONNECTIONS,
	NVME_MPTCP_SUBFLOWS,
	NVME_MPTCP_LINKS,
	NVME_MPTCP_ADDRESSES,
	NVME_MPTCP_OWNERS,
	NVME_MPTCP_CONTROLLERS,
	NVME_MPTCP_RECORDS,
};

/**
 * enum nvme_mptcp_attribution - how the controller of a connection was determined
 * @NVME_MPTCP_NONE:	  It belongs to no controller: other source or destination
 * @NVME_MPTCP_EXACT:	  The controller shows it as one of its queues, or its addresses match only
 *			  one controller
 * @NVME_MPTCP_RECORDED:  It appeared while the kernel created the controller
 * @NVME_MPTCP_INFERRED:  All other matching controllers have their connections already, or show
 *			  their queues
 * @NVME_MPTCP_SHARED:	  It matches several controllers, and cannot be attributed to one
 * @NVME_MPTCP_USERSPACE: It is owned by a process, not by the kernel
 */
enum nvme_mptcp_attribution {
	NVME_MPTCP_NONE,
	NVME_MPTCP_EXACT,
	NVME_MPTCP_RECORDED,
	NVME_MPTCP_INFERRED,
	NVME_MPTCP_SHARED,
	NVME_MPTCP_USERSPACE,
};

/**
 * enum nvme_mptcp_endpoint_flag - flags of an endpoint, linux/mptcp_pm.h
 * @NVME_MPTCP_ENDPOINT_SIGNAL:	  Announced to the peer (ADD_ADDR)
 * @NVME_MPTCP_ENDPOINT_SUBFLOW:  A subflow is started from it
 * @NVME_MPTCP_ENDPOINT_BACKUP:	  Its subflows carry data only if no others can
 * @NVME_MPTCP_ENDPOINT_FULLMESH: Subflows are started from it to every address of the peer
 * @NVME_MPTCP_ENDPOINT_IMPLICIT: Created by the kernel for a subflow without an endpoint
 * @NVME_MPTCP_ENDPOINT_LAMINAR:  Used for subflows to announced addresses, on kernels that support
 *				  it
 *
 * Later kernels may have more.
 */
enum nvme_mptcp_endpoint_flag {
	NVME_MPTCP_ENDPOINT_SIGNAL = 1 << 0,
	NVME_MPTCP_ENDPOINT_SUBFLOW = 1 << 1,
	NVME_MPTCP_ENDPOINT_BACKUP = 1 << 2,
	NVME_MPTCP_ENDPOINT_FULLMESH = 1 << 3,
	NVME_MPTCP_ENDPOINT_IMPLICIT = 1 << 4,
	NVME_MPTCP_ENDPOINT_LAMINAR = 1 << 5,
};

/**
 * enum nvme_mptcp_subflow_flag - flags of a subflow, linux/mptcp.h
 * @NVME_MPTCP_SUBFLOW_MCAP_REM:	  The peer sent MP_CAPABLE
 * @NVME_MPTCP_SUBFLOW_MCAP_LOC:	  MP_CAPABLE was sent: the initial subflow
 * @NVME_MPTCP_SUBFLOW_JOIN_REM:	  The peer sent MP_JOIN
 * @NVME_MPTCP_SUBFLOW_JOIN_LOC:	  MP_JOIN was sent: a further subflow
 * @NVME_MPTCP_SUBFLOW_BKUP_REM:	  The peer made it a backup
 * @NVME_MPTCP_SUBFLOW_BKUP_LOC:	  This side made it a backup
 * @NVME_MPTCP_SUBFLOW_FULLY_ESTABLISHED: Both sides know each other's keys
 * @NVME_MPTCP_SUBFLOW_CONNECTED:	  Part of its connection
 * @NVME_MPTCP_SUBFLOW_MAPVALID:	  Data is being received
 */
enum nvme_mptcp_subflow_flag {
	NVME_MPTCP_SUBFLOW_MCAP_REM = 1 << 0,
	NVME_MPTCP_SUBFLOW_MCAP_LOC = 1 << 1,
	NVME_MPTCP_SUBFLOW_JOIN_REM = 1 << 2,
	NVME_MPTCP_SUBFLOW_JOIN_LOC = 1 << 3,
	NVME_MPTCP_SUBFLOW_BKUP_REM = 1 << 4,
	NVME_MPTCP_SUBFLOW_BKUP_LOC = 1 << 5,
	NVME_MPTCP_SUBFLOW_FULLY_ESTABLISHED = 1 << 6,
	NVME_MPTCP_SUBFLOW_CONNECTED = 1 << 7,
	NVME_MPTCP_SUBFLOW_MAPVALID = 1 << 8,
};

/**
 * enum nvme_mptcp_connection_value - statistics of a connection, struct mptcp_info
 * @NVME_MPTCP_CONN_EXTRA_SUBFLOWS:	   Subflows except the initial one, pending joins included
 * @NVME_MPTCP_CONN_SUBFLOWS_TOTAL:	   Live subflows, the initial one included
 * @NVME_MPTCP_CONN_SUBFLOWS_MAX:	   Limit of @NVME_MPTCP_CONN_EXTRA_SUBFLOWS
 * @NVME_MPTCP_CONN_ADD_ADDR_SIGNAL:	   Addresses announced to the peer
 * @NVME_MPTCP_CONN_ADD_ADDR_SIGNAL_MAX:   Endpoints that could be announced
 * @NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED:	   Announced addresses that were accepted
 * @NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED_MAX: Limit of those
 * @NVME_MPTCP_CONN_LOCAL_ADDR_USED:	   Endpoints that subflows were started from
 * @NVME_MPTCP_CONN_LOCAL_ADDR_MAX:	   Endpoints that subflows could be started from
 * @NVME_MPTCP_CONN_CHECKSUM:		   1 if data is checksummed
 * @NVME_MPTCP_CONN_RETRANSMITS:	   Retransmissions at MPTCP level
 * @NVME_MPTCP_CONN_BYTES_RETRANS:	   Bytes retransmitted at MPTCP level
 * @NVME_MPTCP_CONN_BYTES_SENT:		   Bytes sent
 * @NVME_MPTCP_CONN_BYTES_RECEIVED:	   Bytes received
 * @NVME_MPTCP_CONN_BYTES_ACKED:	   Bytes acknowledged by the peer
 * @NVME_MPTCP_CONN_LAST_DATA_SENT_MS:	   Milliseconds since data was sent
 * @NVME_MPTCP_CONN_LAST_DATA_RECV_MS:	   Milliseconds since data was received
 * @NVME_MPTCP_CONN_LAST_ACK_RECV_MS:	   Milliseconds since an acknowledgement was received
 * @NVME_MPTCP_CONN_LAMINAR_MAX:	   Endpoints for subflows to announced addresses (laminar);
 *					   unknown if there are none or the kernel does not support
 *					   them
 * @NVME_MPTCP_CONN_FULLMESH_MAX:	   Endpoints for subflows to all addresses (fullmesh);
 *					   likewise
 */
enum nvme_mptcp_connection_value {
	NVME_MPTCP_CONN_EXTRA_SUBFLOWS,
	NVME_MPTCP_CONN_SUBFLOWS_TOTAL,
	NVME_MPTCP_CONN_SUBFLOWS_MAX,
	NVME_MPTCP_CONN_ADD_ADDR_SIGNAL,
	NVME_MPTCP_CONN_ADD_ADDR_SIGNAL_MAX,
	NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED,
	NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED_MAX,
	NVME_MPTCP_CONN_LOCAL_ADDR_USED,
	NVME_MPTCP_CONN_LOCAL_ADDR_MAX,
	NVME_MPTCP_CONN_CHECKSUM,
	NVME_MPTCP_CONN_RETRANSMITS,
	NVME_MPTCP_CONN_BYTES_RETRANS,
	NVME_MPTCP_CONN_BYTES_SENT,
	NVME_MPTCP_CONN_BYTES_RECEIVED,
	NVME_MPTCP_CONN_BYTES_ACKED,
	NVME_MPTCP_CONN_LAST_DATA_SENT_MS,
	NVME_MPTCP_CONN_LAST_DATA_RECV_MS,
	NVME_MPTCP_CONN_LAST_ACK_RECV_MS,
	NVME_MPTCP_CONN_LAMINAR_MAX,
	NVME_MPTCP_CONN_FULLMESH_MAX,
};

/**
 * enum nvme_mptcp_subflow_value - statistics of a subflow, struct tcp_info
 * @NVME_MPTCP_RTT_US:		   Smoothed round-trip time in microseconds
 * @NVME_MPTCP_RTTVAR_US:	   Its variation
 * @NVME_MPTCP_MIN_RTT_US:	   Minimum round-trip time seen
 * @NVME_MPTCP_RTO_US:		   Retransmission time-out
 * @NVME_MPTCP_CWND:		   Congestion window in segments
 * @NVME_MPTCP_MSS:		   Maximum size of sent segments in bytes
 * @NVME_MPTCP_PMTU:		   Path MTU
 * @NVME_MPTCP_UNACKED:		   Segments in flight
 * @NVME_MPTCP_LOST:		   Segments considered lost
 * @NVME_MPTCP_TIMEOUTS:	   Consecutive retransmission time-outs
 * @NVME_MPTCP_RETRANS:		   Segments retransmitted so far
 * @NVME_MPTCP_BYTES_SENT:	   Bytes sent, retransmissions included
 * @NVME_MPTCP_BYTES_ACKED:	   Bytes acknowledged by the peer
 * @NVME_MPTCP_BYTES_RECEIVED:	   Bytes received
 * @NVME_MPTCP_BYTES_RETRANS:	   Bytes retransmitted
 * @NVME_MPTCP_BYTES_NOTSENT:	   Bytes queued but not yet sent
 * @NVME_MPTCP_DELIVERY_RATE:	   Latest goodput in bytes per second
 * @NVME_MPTCP_PACING_RATE:	   Pacing rate in bytes per second
 * @NVME_MPTCP_BUSY_US:		   Time spent sending, in microseconds
 * @NVME_MPTCP_RWND_LIMITED_US:	   Part of it limited by the peer's receive window
 * @NVME_MPTCP_SNDBUF_LIMITED_US:  Part of it limited by the send buffer
 * @NVME_MPTCP_LAST_DATA_SENT_MS:  Milliseconds since data was sent
 * @NVME_MPTCP_LAST_DATA_RECV_MS:  Milliseconds since data was received
 * @NVME_MPTCP_LAST_ACK_RECV_MS:   Milliseconds since an acknowledgement was received
 * @NVME_MPTCP_REORDERINGS:	   Reordering events seen
 * @NVME_MPTCP_TIMEOUTS_TOTAL:	   Retransmission time-outs so far
 * @NVME_MPTCP_TIMEOUTS_MS:	   Time spent in retransmission time-outs, in milliseconds
 * @NVME_MPTCP_DELIVERED_CE:	   Segments delivered with a mark of congestion (ECN)
 * @NVME_MPTCP_RECEIVED_CE:	   Segments received with a mark of congestion
 * @NVME_MPTCP_DELIVERED_CE_BYTES: Bytes delivered with a mark of congestion (accurate ECN)
 * @NVME_MPTCP_RECEIVED_CE_BYTES:  Bytes received with a mark of congestion (accurate ECN)
 */
enum nvme_mptcp_subflow_value {
	NVME_MPTCP_RTT_US,
	NVME_MPTCP_RTTVAR_US,
	NVME_MPTCP_MIN_RTT_US,
	NVME_MPTCP_RTO_US,
	NVME_MPTCP_CWND,
	NVME_MPTCP_MSS,
	NVME_MPTCP_PMTU,
	NVME_MPTCP_UNACKED,
	NVME_MPTCP_LOST,
	NVME_MPTCP_TIMEOUTS,
	NVME_MPTCP_RETRANS,
	NVME_MPTCP_BYTES_SENT,
	NVME_MPTCP_BYTES_ACKED,
	NVME_MPTCP_BYTES_RECEIVED,
	NVME_MPTCP_BYTES_RETRANS,
	NVME_MPTCP_BYTES_NOTSENT,
	NVME_MPTCP_DELIVERY_RATE,
	NVME_MPTCP_PACING_RATE,
	NVME_MPTCP_BUSY_US,
	NVME_MPTCP_RWND_LIMITED_US,
	NVME_MPTCP_SNDBUF_LIMITED_US,
	NVME_MPTCP_LAST_DATA_SENT_MS,
	NVME_MPTCP_LAST_DATA_RECV_MS,
	NVME_MPTCP_LAST_ACK_RECV_MS,
	NVME_MPTCP_REORDERINGS,
	NVME_MPTCP_TIMEOUTS_TOTAL,
	NVME_MPTCP_TIMEOUTS_MS,
	NVME_MPTCP_DELIVERED_CE,
	NVME_MPTCP_RECEIVED_CE,
	NVME_MPTCP_DELIVERED_CE_BYTES,
	NVME_MPTCP_RECEIVED_CE_BYTES,
};

/**
 * enum nvme_mptcp_json - contents of a JSON document
 * @NVME_MPTCP_JSON_CONTROLLERS: Controllers with connections and subflows; connections that
 *				 several controllers share; totals
 * @NVME_MPTCP_JSON_USERSPACE:	 Connections owned by processes
 * @NVME_MPTCP_JSON_OTHER:	 Connections of the kernel that belong to no controller: on a
 *				 target, those of its hosts
 * @NVME_MPTCP_JSON_ENDPOINTS:	 Endpoints, limits and settings
 * @NVME_MPTCP_JSON_LINKS:	 Network interfaces
 * @NVME_MPTCP_JSON_PRETTY:	 Indented for readability
 */
enum nvme_mptcp_json {
	NVME_MPTCP_JSON_CONTROLLERS = 1 << 0,
	NVME_MPTCP_JSON_USERSPACE = 1 << 1,
	NVME_MPTCP_JSON_OTHER = 1 << 2,
	NVME_MPTCP_JSON_ENDPOINTS = 1 << 3,
	NVME_MPTCP_JSON_LINKS = 1 << 4,
	NVME_MPTCP_JSON_PRETTY = 1 << 16,
};

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_TYPES_H */
