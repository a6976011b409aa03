// SPDX-License-Identifier: LGPL-2.1-or-later
/* Offsets of the values of subflows and connections in the kernel's structures. */
#include <linux/tcp.h>

#include "snapshot.h"
#include "values.h"

#define TCP(value, json, member) \
	[NVME_MPTCP_##value] = { json, offsetof(struct tcp_info, tcpi_##member), \
				 sizeof(((struct tcp_info *)0)->tcpi_##member) }

_Static_assert(offsetof(struct tcp_info, tcpi_snd_wnd) + sizeof(__u32) == TCP_INFO_TAIL,
	       "what follows tcpi_snd_wnd");

#define TAIL(value, json, member) \
	[NVME_MPTCP_##value] = { json, TCP_INFO_TAIL + offsetof(struct tcp_info_tail, member), \
				 sizeof(((struct tcp_info_tail *)0)->member) }

const struct value_field subflow_fields[] = {
	TCP(RTT_US, "rtt_us", rtt),
	TCP(RTTVAR_US, "rttvar_us", rttvar),
	TCP(MIN_RTT_US, "min_rtt_us", min_rtt),
	TCP(RTO_US, "rto_us", rto),
	TCP(CWND, "cwnd", snd_cwnd),
	TCP(MSS, "mss", snd_mss),
	TCP(PMTU, "pmtu", pmtu),
	TCP(UNACKED, "unacked", unacked),
	TCP(LOST, "lost", lost),
	TCP(TIMEOUTS, "timeouts", retransmits),
	TCP(RETRANS, "retrans", total_retrans),
	TCP(BYTES_SENT, "bytes_sent", bytes_sent),
	TCP(BYTES_ACKED, "bytes_acked", bytes_acked),
	TCP(BYTES_RECEIVED, "bytes_received", bytes_received),
	TCP(BYTES_RETRANS, "bytes_retrans", bytes_retrans),
	TCP(BYTES_NOTSENT, "bytes_notsent", notsent_bytes),
	TCP(DELIVERY_RATE, "delivery_rate", delivery_rate),
	TCP(PACING_RATE, "pacing_rate", pacing_rate),
	TCP(BUSY_US, "busy_us", busy_time),
	TCP(RWND_LIMITED_US, "rwnd_limited_us", rwnd_limited),
	TCP(SNDBUF_LIMITED_US, "sndbuf_limited_us", sndbuf_limited),
	TCP(LAST_DATA_SENT_MS, "last_data_sent_ms", last_data_sent),
	TCP(LAST_DATA_RECV_MS, "last_data_recv_ms", last_data_recv),
	TCP(LAST_ACK_RECV_MS, "last_ack_recv_ms", last_ack_recv),
	TCP(REORDERINGS, "reorderings", reord_seen),
	TAIL(TIMEOUTS_TOTAL, "timeouts_total", total_rto),
	TAIL(TIMEOUTS_MS, "timeouts_ms", total_rto_time),
	TCP(DELIVERED_CE, "delivered_ce", delivered_ce),
	TAIL(RECEIVED_CE, "received_ce", received_ce),
	TAIL(DELIVERED_CE_BYTES, "delivered_ce_bytes", delivered_ce_bytes),
	TAIL(RECEIVED_CE_BYTES, "received_ce_bytes", received_ce_bytes),
};

#define MPTCP(value, json, member) \
	[NVME_MPTCP_CONN_##value] = { json, offsetof(struct mptcp_info_wire, member), \
				      sizeof(((struct mptcp_info_wire *)0)->member) }

#define ENDPOINTS(value, json, member) \
	[NVME_MPTCP_CONN_##value] = { json, offsetof(struct mptcp_info_wire, member), 1, true }

const struct value_field connection_fields[] = {
	MPTCP(EXTRA_SUBFLOWS, "extra_subflows", subflows),
	MPTCP(SUBFLOWS_TOTAL, "subflows_total", subflows_total),
	MPTCP(SUBFLOWS_MAX, "subflows_max", subflows_max),
	MPTCP(ADD_ADDR_SIGNAL, "add_addr_signal", add_addr_signal),
	MPTCP(ADD_ADDR_SIGNAL_MAX, "add_addr_signal_max", add_addr_signal_max),
	MPTCP(ADD_ADDR_ACCEPTED, "add_addr_accepted", add_addr_accepted),
	MPTCP(ADD_ADDR_ACCEPTED_MAX, "add_addr_accepted_max", add_addr_accepted_max),
	MPTCP(LOCAL_ADDR_USED, "local_addr_used", local_addr_used),
	MPTCP(LOCAL_ADDR_MAX, "local_addr_max", local_addr_max),
	MPTCP(CHECKSUM, "checksum", csum_enabled),
	MPTCP(RETRANSMITS, "retransmits", retransmits),
	MPTCP(BYTES_RETRANS, "bytes_retrans", bytes_retrans),
	MPTCP(BYTES_SENT, "bytes_sent", bytes_sent),
	MPTCP(BYTES_RECEIVED, "bytes_received", bytes_received),
	MPTCP(BYTES_ACKED, "bytes_acked", bytes_acked),
	MPTCP(LAST_DATA_SENT_MS, "last_data_sent_ms", last_data_sent),
	MPTCP(LAST_DATA_RECV_MS, "last_data_recv_ms", last_data_recv),
	MPTCP(LAST_ACK_RECV_MS, "last_ack_recv_ms", last_ack_recv),
	ENDPOINTS(LAMINAR_MAX, "laminar_max", laminar_max),
	ENDPOINTS(FULLMESH_MAX, "fullmesh_max", fullmesh_max),
};

_Static_assert(sizeof(subflow_fields) / sizeof(*subflow_fields) == NVME_MPTCP_VALUES,
	       "a row for each value of a subflow");
_Static_assert(sizeof(connection_fields) / sizeof(*connection_fields) == NVME_MPTCP_CONN_VALUES,
	       "a row for each value of a connection");

static int64_t read_number(const char *at, size_t size)
{
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} n;

	memcpy(&n, at, size);
	if (size == sizeof(n.u8))
		return n.u8;
	if (size == sizeof(n.u16))
		return n.u16;
	if (size == sizeof(n.u32))
		return n.u32;
	/* All ones mean "unlimited"; counters do not get near that value. */
	return n.u64 > INT64_MAX ? NVME_MPTCP_UNKNOWN : (int64_t)n.u64;
}

void value_decode(const struct value_field *fields, size_t n, const void *info, size_t len,
		  int64_t *value)
{
	for (size_t i = 0; i < n; i++) {
		if (fields[i].offset + (size_t)fields[i].size > len)
			value[i] = NVME_MPTCP_UNKNOWN;
		else
			value[i] =
				read_number((const char *)info + fields[i].offset, fields[i].size);
		if (fields[i].needs_value && !value[i])
			value[i] = NVME_MPTCP_UNKNOWN;
	}
}

int64_t nvme_mptcp_subflow_value(nvme_mptcp_subflow_t sf, enum nvme_mptcp_subflow_value value)
{
	return (unsigned int)value < NVME_MPTCP_VALUES ? sf->value[value] : NVME_MPTCP_UNKNOWN;
}

const char *nvme_mptcp_subflow_value_name(enum nvme_mptcp_subflow_value value)
{
	return (unsigned int)value < NVME_MPTCP_VALUES ? subflow_fields[value].name : NULL;
}

int64_t nvme_mptcp_connection_value(nvme_mptcp_connection_t conn,
				    enum nvme_mptcp_connection_value value)
{
	return (unsigned int)value < NVME_MPTCP_CONN_VALUES ? conn->value[value]
							    : NVME_MPTCP_UNKNOWN;
}

const char *nvme_mptcp_connection_value_name(enum nvme_mptcp_connection_value value)
{
	return (unsigned int)value < NVME_MPTCP_CONN_VALUES ? connection_fields[value].name : NULL;
}

const char *nvme_mptcp_role_name(enum nvme_mptcp_role role)
{
	return role == NVME_MPTCP_ROLE_HOST	? "host"
	       : role == NVME_MPTCP_ROLE_TARGET ? "target"
	       : role == NVME_MPTCP_ROLE_AUTO	? NULL
						: "unknown";
}
