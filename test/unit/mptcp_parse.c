/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Endpoints, limits, connections and subflows out of single messages, right and wrong ones. */
#include "mptcp_messages.h"

/* What an endpoint message is made of; a test changes one thing. */
struct endpoint_message {
	bool no_nest, no_family, no_address, no_id, no_flags, wrong_size, v6;
	uint16_t family;
	uint8_t id;
	uint32_t flags;
	int port_size;
	int32_t ifindex;
};

static int parse_endpoint(const struct endpoint_message *m, struct nvme_mptcp_endpoint *ep)
{
	static const char junk[16] = { 1, 2, 3 };
	struct datagram d = {};
	struct nlmsghdr *nlh = put_genl(&d, PM_GET_ADDR);
	struct nlattr *nest = NULL;
	uint16_t port = 4421;

	if (!m->no_nest)
		nest = mnl_attr_nest_start(nlh, PM_ATTR_ADDR);
	if (!m->no_family)
		mnl_attr_put_u16(nlh, PM_ADDR_FAMILY, m->family);
	if (!m->no_id)
		mnl_attr_put_u8(nlh, PM_ADDR_ID, m->id);
	if (m->wrong_size)
		mnl_attr_put(nlh, m->v6 ? PM_ADDR_ADDR6 : PM_ADDR_ADDR4, m->v6 ? 4 : 16, junk);
	else if (!m->no_address && m->v6)
		put_ip6(nlh, PM_ADDR_ADDR6, "2001:db8::1");
	else if (!m->no_address)
		put_ip4(nlh, PM_ADDR_ADDR4, "192.0.2.1");
	if (m->port_size)
		mnl_attr_put(nlh, PM_ADDR_PORT, m->port_size,
			     m->port_size == 2 ? (void *)&port : junk);
	if (!m->no_flags)
		mnl_attr_put_u32(nlh, PM_ADDR_FLAGS, m->flags);
	if (m->ifindex)
		mnl_attr_put_u32(nlh, PM_ADDR_IF_IDX, m->ifindex);
	mnl_attr_put_u32(nlh, 99, 0);
	if (nest)
		mnl_attr_nest_end(nlh, nest);
	return pm_parse_endpoint(nlh, ep);
}

static const struct endpoint_message good = {
	.family = AF_INET, .id = 3, .flags = 2, .port_size = 2, .ifindex = 5
};

TEST(missing_parts_of_endpoints)
{
	struct endpoint_message m = good;
	struct nvme_mptcp_endpoint ep;

	m.no_flags = true;
	m.port_size = 0;
	m.ifindex = 0;
	assert_int_equal(parse_endpoint(&m, &ep), 0);
	assert_int_equal(ep.flags, NVME_MPTCP_UNKNOWN);
	assert_int_equal(ep.port, 0);
	assert_int_equal(ep.ifindex, 0);

	m = good;
	m.flags = 0xffffffff;
	assert_int_equal(parse_endpoint(&m, &ep), 0);
	assert_int_equal(ep.flags, 0xffffffffLL);
}

TEST(malformed_endpoints)
{
	struct nvme_mptcp_endpoint ep = { .id = 77 };
	struct endpoint_message m;

#define REFUSED(field, value) \
	do { \
		m = good; \
		m.field = value; \
		assert_int_equal(parse_endpoint(&m, &ep), -EBADMSG); \
	} while (0)
	REFUSED(no_nest, true);
	REFUSED(no_family, true);
	REFUSED(family, AF_INET6);
	REFUSED(family, AF_UNIX);
	REFUSED(no_address, true);
	REFUSED(wrong_size, true);
	REFUSED(no_id, true);
	REFUSED(id, 0);
	REFUSED(port_size, 3);
	REFUSED(port_size, 1);
	REFUSED(ifindex, -1);
	REFUSED(ifindex, INT32_MIN);
	m = good;
	m.family = AF_INET6;
	m.v6 = m.wrong_size = true;
	assert_int_equal(parse_endpoint(&m, &ep), -EBADMSG);
	/* Nothing is stored then. */
	assert_int_equal(ep.id, 77);
}

TEST(endpoint_cut_anywhere)
{
	struct nvme_mptcp_endpoint ep;
	struct datagram d = {};
	struct nlmsghdr *nlh = put_genl(&d, PM_GET_ADDR);
	struct nlattr *nest = mnl_attr_nest_start(nlh, PM_ATTR_ADDR);

	mnl_attr_put_u16(nlh, PM_ADDR_FAMILY, AF_INET);
	mnl_attr_put_u8(nlh, PM_ADDR_ID, 1);
	put_ip4(nlh, PM_ADDR_ADDR4, "192.0.2.1");
	mnl_attr_nest_end(nlh, nest);
	assert_int_equal(pm_parse_endpoint(nlh, &ep), 0);
	ASSERT_REFUSED_IF_CUT(nlh, pm_parse_endpoint, &ep);
	/* A nest that is longer than its message, and one that is shorter than its header. */
	nest->nla_len += 4;
	assert_int_equal(pm_parse_endpoint(nlh, &ep), -EBADMSG);
	nest->nla_len = 3;
	assert_int_equal(pm_parse_endpoint(nlh, &ep), -EBADMSG);
}

TEST(limits_are_read)
{
	struct pm_limits limits = {};
	struct datagram d = {};
	struct nlmsghdr *nlh = put_genl(&d, PM_GET_LIMITS);

	assert_int_equal(pm_parse_limits(nlh, &limits), 0);
	assert_int_equal(limits.subflows, NVME_MPTCP_UNKNOWN);
	mnl_attr_put_u32(nlh, PM_ATTR_SUBFLOWS, 0);
	mnl_attr_put_u32(nlh, PM_ATTR_RCV_ADD_ADDRS, 64);
	assert_int_equal(pm_parse_limits(nlh, &limits), 0);
	assert_int_equal(limits.subflows, 0);
	assert_int_equal(limits.add_addr_accepted, 64);
	mnl_attr_put_u16(nlh, PM_ATTR_SUBFLOWS, 8);
	assert_int_equal(pm_parse_limits(nlh, &limits), -EBADMSG);
}

TEST(family_is_found)
{
	struct genl_family family = {};
	struct datagram d = {};
	struct nlmsghdr *nlh = put_genl(&d, CTRL_CMD_NEWFAMILY);
	struct nlattr *groups, *group;

	assert_int_equal(pm_parse_family(nlh, &family), -EBADMSG);
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, FAMILY_ID);
	assert_int_equal(pm_parse_family(nlh, &family), 0);
	assert_int_equal(family.id, FAMILY_ID);
	assert_int_equal(family.events, 0);

	groups = mnl_attr_nest_start(nlh, CTRL_ATTR_MCAST_GROUPS);
	group = mnl_attr_nest_start(nlh, 1);
	mnl_attr_put_u32(nlh, CTRL_ATTR_MCAST_GRP_ID, 9);
	mnl_attr_put_strz(nlh, CTRL_ATTR_MCAST_GRP_NAME, "mptcp_pm_cmds");
	mnl_attr_nest_end(nlh, group);
	group = mnl_attr_nest_start(nlh, 2);
	mnl_attr_put_u32(nlh, CTRL_ATTR_MCAST_GRP_ID, 10);
	mnl_attr_put_strz(nlh, CTRL_ATTR_MCAST_GRP_NAME, PM_EVENTS);
	mnl_attr_nest_end(nlh, group);
	mnl_attr_nest_end(nlh, groups);
	assert_int_equal(pm_parse_family(nlh, &family), 0);
	assert_int_equal(family.events, 10);

	group->nla_len = 200;
	assert_int_equal(pm_parse_family(nlh, &family), -EBADMSG);
	group->nla_len = 0;
	assert_int_equal(pm_parse_family(nlh, &family), -EBADMSG);

	/* A family cannot have a number that is reserved for messages. */
	d.len = 0;
	nlh = put_genl(&d, CTRL_CMD_NEWFAMILY);
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, NLMSG_DONE);
	assert_int_equal(pm_parse_family(nlh, &family), -EBADMSG);
}

/* What was read last. */
static struct nvme_mptcp_connection conn;
static struct nvme_mptcp_subflow sf;

static int parse_connection(const void *info, size_t info_len)
{
	struct datagram d = {};
	struct nlmsghdr *nlh = put_header(&d, SOCK_DIAG_BY_FAMILY, NLM_F_MULTI);
	struct inet_diag_msg *msg = put_diag(nlh, AF_INET, "192.0.2.2", 40000, "192.0.2.1", 4420);

	msg->idiag_inode = 77;
	msg->id.idiag_if = 4;
	if (info_len)
		mnl_attr_put(nlh, DIAG_INFO, info_len, info);
	return diag_parse_connection(nlh, &conn);
}

TEST(connection_of_any_kernel)
{
	static const size_t lengths[] = { 0, 1, 8, 12, 40, 43, 44, 80, 96, 200 };
	static const struct mptcp_info_wire info[4] = { { .subflows = 3,
							  .subflows_max = 8,
							  .flags = 1,
							  .token = 0xdeadbeef,
							  .local_addr_used = 2,
							  .bytes_sent = 1ULL << 40,
							  .subflows_total = 4,
							  .last_ack_recv = 11 } };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		size_t len = lengths[i];

		assert_int_equal(parse_connection(info, len), 0);
		assert_int_equal(conn.state, STATE_ESTABLISHED);
		assert_int_equal(conn.inode, 77);
		assert_int_equal(conn.ifindex, 4);
		assert_int_equal(conn.remote.port, 4420);
		assert_int_equal(conn.has_token, len >= 16);
		assert_int_equal(conn.fallback, len >= 12 ? 1 : NVME_MPTCP_UNKNOWN);
		assert_int_equal(conn.value[NVME_MPTCP_CONN_EXTRA_SUBFLOWS],
				 len >= 1 ? 3 : NVME_MPTCP_UNKNOWN);
		assert_int_equal(conn.value[NVME_MPTCP_CONN_LOCAL_ADDR_USED],
				 len >= 41 ? 2 : NVME_MPTCP_UNKNOWN);
		assert_int_equal(conn.value[NVME_MPTCP_CONN_CHECKSUM],
				 len >= 43 ? 0 : NVME_MPTCP_UNKNOWN);
		assert_int_equal(conn.value[NVME_MPTCP_CONN_BYTES_SENT],
				 len >= 64 ? 1LL << 40 : NVME_MPTCP_UNKNOWN);
		assert_int_equal(conn.value[NVME_MPTCP_CONN_SUBFLOWS_TOTAL],
				 len >= 81 ? 4 : NVME_MPTCP_UNKNOWN);
		assert_int_equal(conn.value[NVME_MPTCP_CONN_LAST_ACK_RECV_MS],
				 len >= 96 ? 11 : NVME_MPTCP_UNKNOWN);
	}
	assert_int_equal(conn.token, 0xdeadbeef);
}

/* Byte 81 of a kernel that has no such endpoints is reserved, and zero. */
TEST(endpoints_counted_by_newer_kernels)
{
	static const unsigned char info[96] = { [0] = 3, [80] = 4, [81] = 2, [82] = 0 };

	assert_int_equal(parse_connection(info, sizeof(info)), 0);
	assert_int_equal(conn.value[NVME_MPTCP_CONN_LAMINAR_MAX], 2);
	assert_int_equal(conn.value[NVME_MPTCP_CONN_FULLMESH_MAX], NVME_MPTCP_UNKNOWN);
	assert_int_equal(parse_connection(info, 81), 0);
	assert_int_equal(conn.value[NVME_MPTCP_CONN_SUBFLOWS_TOTAL], 4);
	assert_int_equal(conn.value[NVME_MPTCP_CONN_LAMINAR_MAX], NVME_MPTCP_UNKNOWN);
}

TEST(token_zero_is_no_token)
{
	struct mptcp_info_wire info = { .token = 0 };
	struct datagram d = {};
	struct nlmsghdr *nlh = put_header(&d, SOCK_DIAG_BY_FAMILY, 0);

	put_diag(nlh, AF_INET6, "2001:db8::2", 1, "2001:db8::1", 2);
	mnl_attr_put(nlh, DIAG_INFO, sizeof(info), &info);
	assert_int_equal(diag_parse_connection(nlh, &conn), 0);
	assert_false(conn.has_token);
	assert_int_equal(nvme_mptcp_connection_token(&conn), NVME_MPTCP_UNKNOWN);
}

TEST(mapped_addresses_are_equal)
{
	struct nvme_mptcp_connection v4;
	struct datagram d = {};
	struct nlmsghdr *nlh = put_header(&d, SOCK_DIAG_BY_FAMILY, 0);

	put_diag(nlh, AF_INET, "192.0.2.2", 1, "192.0.2.1", 2);
	assert_int_equal(diag_parse_connection(nlh, &v4), 0);
	d.len = 0;
	nlh = put_header(&d, SOCK_DIAG_BY_FAMILY, 0);
	put_diag(nlh, AF_INET6, "::ffff:192.0.2.2", 1, "::ffff:192.0.2.1", 2);
	assert_int_equal(diag_parse_connection(nlh, &conn), 0);
	assert_memory_equal(&v4.local.ip, &conn.local.ip, 16);
	assert_memory_equal(&v4.remote.ip, &conn.remote.ip, 16);
}

struct ulp_message {
	bool no_ulp, no_nest, no_ids, short_token, short_flags, long_id, short_nest;
	uint32_t token;
};

static int parse_subflow_of(const struct ulp_message *m, const void *info, size_t info_len)
{
	const uint32_t flags = 0x80000052;
	const uint8_t id[4] = { 1 };
	struct datagram d = {};
	struct nlmsghdr *nlh = put_header(&d, SOCK_DIAG_BY_FAMILY, NLM_F_MULTI);
	struct nlattr *ulp, *nest;

	put_diag(nlh, AF_INET, "192.0.2.2", 40000, "192.0.2.1", 4420);
	if (info_len)
		mnl_attr_put(nlh, DIAG_INFO, info_len, info);
	if (m->no_ulp)
		return diag_parse_subflow(nlh, &sf);
	ulp = mnl_attr_nest_start(nlh, DIAG_ULP_INFO);
	mnl_attr_put_strz(nlh, ULP_NAME, "mptcp");
	if (!m->no_nest) {
		nest = mnl_attr_nest_start(nlh, ULP_MPTCP);
		mnl_attr_put_u32(nlh, SUBFLOW_TOKEN_REM, 1);
		mnl_attr_put(nlh, SUBFLOW_TOKEN_LOC, m->short_token ? 2 : 4, &m->token);
		mnl_attr_put_u64(nlh, 4, 99);
		mnl_attr_put(nlh, SUBFLOW_FLAGS, m->short_flags ? 1 : 4, &flags);
		if (!m->no_ids) {
			mnl_attr_put(nlh, SUBFLOW_ID_LOC, m->long_id ? 4 : 1, id);
			mnl_attr_put_u8(nlh, SUBFLOW_ID_REM, 255);
		}
		mnl_attr_nest_end(nlh, nest);
		if (m->short_nest)
			nest->nla_len = 5;
	}
	mnl_attr_nest_end(nlh, ulp);
	return diag_parse_subflow(nlh, &sf);
}

static int parse_subflow(const struct ulp_message *m, size_t info_len)
{
	struct tcp_info info[2] = { { .tcpi_rtt = 250,
				      .tcpi_snd_cwnd = 10,
				      .tcpi_bytes_sent = 5000000000ULL,
				      .tcpi_pacing_rate = UINT64_MAX,
				      .tcpi_delivery_rate = 125000000 } };

	return parse_subflow_of(m, info, info_len);
}

/* struct tcp_info of 280 bytes, as Linux 7.3 sends it; 248 of them are Linux 6.12's. */
TEST(subflow_counters_of_newer_kernels)
{
	static const struct {
		enum nvme_mptcp_subflow_value value;
		size_t end; /* the length from which on it is known */
		int64_t number;
	} rows[] = {
		{ NVME_MPTCP_DELIVERED_CE, 200, 7 },
		{ NVME_MPTCP_TIMEOUTS_TOTAL, 242, 0x1234 },
		{ NVME_MPTCP_TIMEOUTS_MS, 248, 1500 },
		{ NVME_MPTCP_RECEIVED_CE, 252, 9 },
		{ NVME_MPTCP_DELIVERED_CE_BYTES, 264, 10 },
		{ NVME_MPTCP_RECEIVED_CE_BYTES, 276, 0 },
	};
	static const size_t lengths[] = { 104, 232, 240, 248, 280 };
	const uint32_t marked = 7, ms = 1500, received = 9, bytes = 10;
	const uint16_t timeouts = 0x1234;
	struct ulp_message m = { .token = 0xcafe };
	char info[280] = {};

	memcpy(info + 196, &marked, 4);
	memcpy(info + 240, &timeouts, 2);
	memcpy(info + 244, &ms, 4);
	memcpy(info + 248, &received, 4);
	memcpy(info + 260, &bytes, 4);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		assert_int_equal(parse_subflow_of(&m, info, lengths[i]), 0);
		for (size_t j = 0; j < sizeof(rows) / sizeof(*rows); j++)
			assert_int_equal(sf.value[rows[j].value], lengths[i] >= rows[j].end
									  ? rows[j].number
									  : NVME_MPTCP_UNKNOWN);
	}
}

TEST(subflow_is_read)
{
	struct ulp_message m = { .token = 0xcafe };

	assert_int_equal(parse_subflow(&m, sizeof(struct tcp_info)), 0);
	assert_true(sf.has_token);
	assert_int_equal(sf.token, 0xcafe);
	assert_int_equal(sf.id_local, 1);
	assert_int_equal(sf.id_remote, 255);
	assert_int_equal(sf.flags, 0x80000052LL);
	assert_int_equal(sf.value[NVME_MPTCP_RTT_US], 250);
	assert_int_equal(sf.value[NVME_MPTCP_BYTES_SENT], 5000000000LL);
	/* Unlimited is no number. */
	assert_int_equal(sf.value[NVME_MPTCP_PACING_RATE], NVME_MPTCP_UNKNOWN);

	/* Newer and older kernels. */
	assert_int_equal(parse_subflow(&m, 2 * sizeof(struct tcp_info)), 0);
	assert_int_equal(sf.value[NVME_MPTCP_RTT_US], 250);
	assert_int_equal(parse_subflow(&m, 104), 0);
	assert_int_equal(sf.value[NVME_MPTCP_RTT_US], 250);
	assert_int_equal(sf.value[NVME_MPTCP_BYTES_SENT], NVME_MPTCP_UNKNOWN);
	assert_int_equal(parse_subflow(&m, 0), 0);
	assert_int_equal(sf.value[NVME_MPTCP_RTT_US], NVME_MPTCP_UNKNOWN);
}

TEST(hidden_mptcp_data_is_unknown)
{
	static const struct ulp_message hidden[] = { { .no_ulp = true }, { .no_nest = true } };
	struct ulp_message m = { .token = 1, .no_ids = true };

	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(parse_subflow(&hidden[i], sizeof(struct tcp_info)), 0);
		assert_false(sf.has_token);
		assert_int_equal(sf.flags, NVME_MPTCP_UNKNOWN);
		assert_int_equal(sf.id_local, NVME_MPTCP_UNKNOWN);
	}
	assert_int_equal(parse_subflow(&m, 0), 0);
	assert_int_equal(sf.id_remote, NVME_MPTCP_UNKNOWN);
}

/* A connection that used TCP from the start has none. */
TEST(token_zero_is_none)
{
	struct ulp_message m = {};

	assert_int_equal(parse_subflow(&m, sizeof(struct tcp_info)), 0);
	assert_false(sf.has_token);
	assert_int_equal(sf.cookie, DIAG_COOKIE * 0x0101010101010101);
	m.token = 1;
	assert_int_equal(parse_subflow(&m, sizeof(struct tcp_info)), 0);
	assert_int_equal(sf.cookie, 0);
}

TEST(malformed_subflows)
{
	static const struct ulp_message bad[] = {
		{ .short_token = true },
		{ .short_flags = true },
		{ .long_id = true },
		{ .short_nest = true },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(parse_subflow(&bad[i], 0), -EBADMSG);
}

TEST(malformed_sockets)
{
	struct inet_diag_msg *msg;
	struct datagram d = {};
	struct nlmsghdr *nlh = put_header(&d, SOCK_DIAG_BY_FAMILY, 0);

	msg = put_diag(nlh, AF_INET, "192.0.2.2", 1, "192.0.2.1", 2);
	ASSERT_REFUSED_IF_CUT(nlh, diag_parse_connection, &conn);
	ASSERT_REFUSED_IF_CUT(nlh, diag_parse_subflow, &sf);
	msg->idiag_family = AF_UNIX;
	assert_int_equal(diag_parse_connection(nlh, &conn), -EBADMSG);
	assert_int_equal(diag_parse_subflow(nlh, &sf), -EBADMSG);
	msg->idiag_family = AF_INET;
	msg->id.idiag_if = UINT32_MAX;
	assert_int_equal(diag_parse_subflow(nlh, &sf), -EBADMSG);
	msg->id.idiag_if = 0;
	nlh->nlmsg_type = SOCK_DIAG_BY_FAMILY + 1;
	assert_int_equal(diag_parse_connection(nlh, &conn), -EBADMSG);
	/* A state that nobody knows has a name all the same. */
	assert_string_equal(diag_state_name(200), "UNKNOWN");
	assert_string_equal(diag_state_name(0), "UNKNOWN");
}
