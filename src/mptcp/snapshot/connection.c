// SPDX-License-Identifier: LGPL-2.1-or-later
/* Connections and subflows of a snapshot. */
#include "snapshot.h"

/* Number of SYN retransmissions after which a join is overdue, about three seconds */
#define JOIN_OVERDUE 1
/*
 * A path is considered dead if it has been silent for SILENT_MS and another one was heard at least
 * SILENT_SINCE_MS later. 200 ms would detect a dead path after 300 ms, but also report one whose
 * delay grows by 300 ms in each direction.
 */
#define SILENT_MS 700
#define SILENT_SINCE_MS 50
/* Number of consecutive retransmission timeouts that prove a dead path: at least 1.4 s for TCP */
#define STALLED 3
/* The third packet of a join is retransmitted after 200 ms, then after twice the last interval. */
#define UNCONFIRMED_MS 800

bool connection_has_userspace_manager(const struct nvme_mptcp_snapshot *snap,
				      const struct nvme_mptcp_connection *conn)
{
	return snap->limit_subflows > 0 && conn->fallback != 1 &&
	       conn->value[NVME_MPTCP_CONN_SUBFLOWS_MAX] == 0;
}

size_t connection_count_established(const struct nvme_mptcp_connection *conn)
{
	size_t n = 0;

	for (size_t i = 0; i < conn->n_subflows; i++)
		n += conn->subflows[i].state == STATE_ESTABLISHED;
	return n;
}

size_t connection_count_carrying(const struct nvme_mptcp_connection *conn)
{
	size_t n = 0;

	for (size_t i = 0; i < conn->n_subflows; i++)
		n += subflow_carries(&conn->subflows[i]);
	return n;
}

bool connection_is_full(const struct nvme_mptcp_connection *conn)
{
	const int64_t max = conn->value[NVME_MPTCP_CONN_SUBFLOWS_MAX];

	return max >= 0 && conn->value[NVME_MPTCP_CONN_EXTRA_SUBFLOWS] >= max;
}

bool connection_ignores_announcements(const struct nvme_mptcp_connection *conn)
{
	const int64_t accepted = conn->value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED];
	const int64_t accepted_max = conn->value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED_MAX];
	const int64_t max = conn->value[NVME_MPTCP_CONN_SUBFLOWS_MAX];

	if (accepted_max <= 0 || accepted <= 0)
		return false;
	/* With the missing subflow, it had as many as the limit permits. */
	return accepted >= accepted_max ||
	       (max > 0 && conn->value[NVME_MPTCP_CONN_EXTRA_SUBFLOWS] + 1 >= max);
}

bool connection_lost_initial(const struct nvme_mptcp_connection *conn)
{
	for (size_t i = 0; i < conn->n_subflows; i++)
		if (conn->subflows[i].state == STATE_ESTABLISHED &&
		    address_equal(&conn->subflows[i].local.ip, &conn->local.ip) &&
		    address_equal(&conn->subflows[i].remote.ip, &conn->remote.ip))
			return false;
	return conn->n_subflows;
}

/* True if data was acknowledged within the last @us and no retransmission is pending. */
static bool has_advanced(const struct nvme_mptcp_subflow *sf, int64_t us)
{
	const int64_t ms = sf->value[NVME_MPTCP_LAST_ACK_RECV_MS];

	return sf->state == STATE_ESTABLISHED && !sf->value[NVME_MPTCP_TIMEOUTS] && ms >= 0 &&
	       ms * 1000 <= us;
}

/*
 * True if the subflow has unacknowledged data and backs off, while another subflow of the
 * connection advances: its path is dead. If none advances, the target may have stopped.
 */
static bool is_stalled(const struct nvme_mptcp_subflow *sf)
{
	const struct nvme_mptcp_connection *conn = sf->connection;

	if (sf->value[NVME_MPTCP_TIMEOUTS] < STALLED || sf->value[NVME_MPTCP_UNACKED] <= 0 || !conn)
		return false;
	/* The timeout doubles each time: the stall has lasted for about the current one. */
	for (size_t i = 0; i < conn->n_subflows; i++)
		if (has_advanced(&conn->subflows[i], sf->value[NVME_MPTCP_RTO_US]))
			return true;
	return false;
}

int64_t subflow_silence_ms(const struct nvme_mptcp_subflow *sf)
{
	const int64_t ack = sf->value[NVME_MPTCP_LAST_ACK_RECV_MS];
	const int64_t data = sf->value[NVME_MPTCP_LAST_DATA_RECV_MS];

	if (sf->state != STATE_ESTABLISHED || ack < 0 || data < 0)
		return INT64_MAX;
	return ack < data ? ack : data;
}

bool subflow_is_silent(const struct nvme_mptcp_subflow *sf, int64_t siblings_ms)
{
	const int64_t heard = subflow_silence_ms(sf);

	return sf->value[NVME_MPTCP_TIMEOUTS] > 0 && sf->value[NVME_MPTCP_UNACKED] > 0 &&
	       heard != INT64_MAX && heard >= SILENT_MS && siblings_ms <= heard - SILENT_SINCE_MS;
}

bool nvme_mptcp_subflow_is_confirmed(nvme_mptcp_subflow_t sf)
{
	return sf->flags == NVME_MPTCP_UNKNOWN || !(sf->flags & NVME_MPTCP_SUBFLOW_JOIN_LOC) ||
	       (sf->flags & NVME_MPTCP_SUBFLOW_FULLY_ESTABLISHED);
}

bool subflow_is_unconfirmed(const struct nvme_mptcp_subflow *sf)
{
	return sf->state == STATE_ESTABLISHED && !nvme_mptcp_subflow_is_confirmed(sf) &&
	       sf->value[NVME_MPTCP_BYTES_SENT] == 0 && sf->value[NVME_MPTCP_BYTES_RECEIVED] == 0 &&
	       sf->value[NVME_MPTCP_LAST_ACK_RECV_MS] >=
		       UNCONFIRMED_MS + 2 * sf->value[NVME_MPTCP_RTT_US] / 1000;
}

const char *subflow_trouble(const struct nvme_mptcp_subflow *sf)
{
	if (sf->link && !link_is_alive(sf->link))
		return link_trouble(sf->link);
	if (sf->has_no_address)
		return "no interface that is up has the address";
	if (sf->has_no_route)
		return "no route leads to the other end";
	if (subflow_is_unconfirmed(sf))
		return "the other end has not confirmed the join";
	return is_stalled(sf) ? "its data is not acknowledged" : NULL;
}

bool subflow_carries(const struct nvme_mptcp_subflow *sf)
{
	return sf->state == STATE_ESTABLISHED && !subflow_trouble(sf);
}

bool subflow_is_overdue(const struct nvme_mptcp_subflow *sf)
{
	return sf->state == STATE_SYN_SENT && sf->value[NVME_MPTCP_TIMEOUTS] >= JOIN_OVERDUE;
}

nvme_mptcp_connection_t nvme_mptcp_connection_next(nvme_mptcp_set_t set,
						   nvme_mptcp_connection_t conn)
{
	return conn ? conn->next : set->first;
}

GETTER_OF(int64_t, nvme_mptcp_connection_token, nvme_mptcp_connection_t,
	  object->has_token ? (int64_t)object->token : NVME_MPTCP_UNKNOWN);
GETTER(enum nvme_mptcp_attribution, nvme_mptcp_connection_attribution, nvme_mptcp_connection_t,
       attribution);

const char *nvme_mptcp_attribution_name(enum nvme_mptcp_attribution attribution)
{
	static const char *const names[] = {
		[NVME_MPTCP_NONE] = "none",	    [NVME_MPTCP_EXACT] = "exact",
		[NVME_MPTCP_RECORDED] = "recorded", [NVME_MPTCP_INFERRED] = "inferred",
		[NVME_MPTCP_SHARED] = "shared",	    [NVME_MPTCP_USERSPACE] = "userspace",
	};

	return (unsigned int)attribution < sizeof(names) / sizeof(*names) ? names[attribution]
									  : "unknown";
}

GETTER(nvme_mptcp_ctrl_t, nvme_mptcp_connection_ctrl, nvme_mptcp_connection_t, ctrl);
GETTER_OF(const char *, nvme_mptcp_connection_state, nvme_mptcp_connection_t,
	  diag_state_name(object->state));
GETTER(int, nvme_mptcp_connection_fallback, nvme_mptcp_connection_t, fallback);
GETTER(const char *, nvme_mptcp_connection_local, nvme_mptcp_connection_t, local_text);
GETTER(const char *, nvme_mptcp_connection_remote, nvme_mptcp_connection_t, remote_text);
GETTER(uint32_t, nvme_mptcp_connection_inode, nvme_mptcp_connection_t, inode);
GETTER(int64_t, nvme_mptcp_connection_pid, nvme_mptcp_connection_t, pid);
GETTER(size_t, nvme_mptcp_connection_n_subflows, nvme_mptcp_connection_t, n_subflows);
ARRAY_GETTER(nvme_mptcp_subflow_t, nvme_mptcp_subflow_next, nvme_mptcp_connection_t, subflows,
	     n_subflows);
GETTER(const char *, nvme_mptcp_subflow_local, nvme_mptcp_subflow_t, local_text);
GETTER(const char *, nvme_mptcp_subflow_remote, nvme_mptcp_subflow_t, remote_text);
GETTER(nvme_mptcp_link_t, nvme_mptcp_subflow_link, nvme_mptcp_subflow_t, link);

nvme_mptcp_link_t nvme_mptcp_subflow_possible_link(nvme_mptcp_subflow_t sf, size_t i)
{
	return i < sf->n_possible ? sf->possible[i] : NULL;
}

GETTER(bool, nvme_mptcp_subflow_is_bound, nvme_mptcp_subflow_t, is_bound);
GETTER(int, nvme_mptcp_subflow_id_local, nvme_mptcp_subflow_t, id_local);
GETTER(int, nvme_mptcp_subflow_id_remote, nvme_mptcp_subflow_t, id_remote);
GETTER(int64_t, nvme_mptcp_subflow_flags, nvme_mptcp_subflow_t, flags);
GETTER_OF(const char *, nvme_mptcp_subflow_state, nvme_mptcp_subflow_t,
	  diag_state_name(object->state));
GETTER_OF(bool, nvme_mptcp_subflow_is_established, nvme_mptcp_subflow_t,
	  object->state == STATE_ESTABLISHED);
GETTER_OF(bool, nvme_mptcp_subflow_is_carrying, nvme_mptcp_subflow_t, subflow_carries(object));
GETTER_OF(const char *, nvme_mptcp_subflow_trouble, nvme_mptcp_subflow_t,
	  object->state == STATE_ESTABLISHED ? subflow_trouble(object) : NULL);
