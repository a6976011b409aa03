/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel interface, for building with headers older than the running kernel: numbers from
 * include/uapi/linux/mptcp.h, mptcp_pm.h and inet_diag.h. They are stable ABI.
 */
#pragma once

#include <linux/types.h>
#include <netinet/in.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

#ifndef SOL_MPTCP
#define SOL_MPTCP 284
#endif

/* Socket options at level SOL_MPTCP. */
enum mptcp_sockopt {
	SOCKOPT_INFO = 1, /* struct mptcp_info */
	SOCKOPT_TCPINFO = 2, /* struct tcp_info of each subflow; Linux 5.16 */
};

#define PM_FAMILY "mptcp_pm"
#define PM_VERSION 1
#define PM_EVENTS "mptcp_pm_events"

enum pm_command {
	PM_ADD_ADDR = 1,
	PM_DEL_ADDR = 2,
	PM_GET_ADDR = 3,
	PM_FLUSH_ADDRS = 4,
	PM_SET_LIMITS = 5,
	PM_GET_LIMITS = 6,
	PM_SET_FLAGS = 7,
};

enum pm_attr {
	PM_ATTR_ADDR = 1,
	PM_ATTR_RCV_ADD_ADDRS = 2,
	PM_ATTR_SUBFLOWS = 3,
	PM_ATTR_MAX = 3,
};

enum pm_addr_attr {
	PM_ADDR_FAMILY = 1,
	PM_ADDR_ID = 2,
	PM_ADDR_ADDR4 = 3,
	PM_ADDR_ADDR6 = 4,
	PM_ADDR_PORT = 5,
	PM_ADDR_FLAGS = 6,
	PM_ADDR_IF_IDX = 7,
	PM_ADDR_MAX = 7,
};

enum pm_event_attr {
	PM_EVENT_TOKEN = 1,
	PM_EVENT_FAMILY = 2,
	PM_EVENT_LOC_ID = 3,
	PM_EVENT_REM_ID = 4,
	PM_EVENT_SADDR4 = 5,
	PM_EVENT_SADDR6 = 6,
	PM_EVENT_DADDR4 = 7,
	PM_EVENT_DADDR6 = 8,
	PM_EVENT_SPORT = 9,
	PM_EVENT_DPORT = 10,
	PM_EVENT_BACKUP = 11,
	PM_EVENT_ERROR = 12,
	PM_EVENT_FLAGS = 13,
	PM_EVENT_TIMEOUT = 14,
	PM_EVENT_IF_IDX = 15,
	PM_EVENT_RESET_REASON = 16,
	PM_EVENT_RESET_FLAGS = 17,
	PM_EVENT_SERVER_SIDE = 18,
	PM_EVENT_MAX = 18,
};

/* The protocol number does not fit into 8 bits of the request, so it is sent as an attribute. */
#define DIAG_REQ_PROTOCOL 3
#define DIAG_PROTOCOL_IN_ATTR 255

#define DIAG_INFO 2
#define DIAG_TOS 5
#define DIAG_TCLASS 6
#define DIAG_MARK 15
#define DIAG_ULP_INFO 19
#define DIAG_MAX 19

enum ulp_attr {
	ULP_NAME = 1,
	ULP_MPTCP = 3,
	ULP_MAX = 3,
};

enum subflow_attr {
	SUBFLOW_TOKEN_REM = 1,
	SUBFLOW_TOKEN_LOC = 2,
	SUBFLOW_FLAGS = 8,
	SUBFLOW_ID_REM = 9,
	SUBFLOW_ID_LOC = 10,
	SUBFLOW_MAX = 10,
};

/*
 * struct mptcp_info. It only grows: an older kernel sends a shorter one, and a field is valid if
 * the received length includes it. laminar_max and fullmesh_max use bytes that were reserved and
 * zero.
 */
struct mptcp_info_wire {
	__u8 subflows; /* additional ones, including joins in progress */
	__u8 add_addr_signal;
	__u8 add_addr_accepted;
	__u8 subflows_max;
	__u8 add_addr_signal_max;
	__u8 add_addr_accepted_max;
	__u8 hole1[2];
	__u32 flags;
	__u32 token;
	__u64 write_seq;
	__u64 snd_una;
	__u64 rcv_nxt;
	__u8 local_addr_used; /* 5.12 */
	__u8 local_addr_max;
	__u8 csum_enabled; /* 5.14 */
	__u8 hole2;
	__u32 retransmits; /* 6.5 */
	__u64 bytes_retrans;
	__u64 bytes_sent;
	__u64 bytes_received;
	__u64 bytes_acked;
	__u8 subflows_total; /* 6.8: attached ones, including the initial one */
	__u8 laminar_max; /* laminar endpoints; 6.18 */
	__u8 fullmesh_max;
	__u8 hole3;
	__u32 last_data_sent; /* 6.10, ms */
	__u32 last_data_recv;
	__u32 last_ack_recv;
};

_Static_assert(sizeof(struct mptcp_info_wire) == 96, "struct mptcp_info of Linux 6.10");

#define INFO_FLAG_FALLBACK (1U << 0)

/* struct tcp_info after tcpi_snd_wnd, which not all build headers have. */
struct tcp_info_tail {
	__u32 rcv_wnd;
	__u32 rehash;
	__u16 total_rto; /* 6.7 */
	__u16 total_rto_recoveries;
	__u32 total_rto_time; /* ms */
	__u32 received_ce; /* this and the following: 6.18 */
	__u32 delivered_e1_bytes;
	__u32 delivered_e0_bytes;
	__u32 delivered_ce_bytes;
	__u32 received_e1_bytes;
	__u32 received_e0_bytes;
	__u32 received_ce_bytes;
};

#define TCP_INFO_TAIL 232 /* offset in struct tcp_info */
