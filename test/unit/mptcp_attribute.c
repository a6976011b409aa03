/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose the sockets of a snapshot are; a hundred thousand of them take no noticeable time. */
#include <time.h>
#include <json-c/json.h>
#include <net/if.h>

#include "mptcp_attribute.h"

static struct nvme_mptcp_subflow *add_subflow(uint32_t token, const char *local, const char *remote,
					      int ifindex, int id_local, int64_t sent)
{
	struct nvme_mptcp_subflow *sf = array_add(&snap->subflows, &snap->n_subflows, sizeof(*sf));

	assert_non_null(sf);
	for (int i = 0; i < NVME_MPTCP_VALUES; i++)
		sf->value[i] = NVME_MPTCP_UNKNOWN;
	sf->local = (struct socket_address){ ip(local), 40000 };
	sf->remote = (struct socket_address){ ip(remote), 4420 };
	sf->token = token;
	sf->has_token = true;
	sf->ifindex = ifindex;
	sf->is_bound = ifindex;
	sf->state = STATE_ESTABLISHED;
	sf->id_local = id_local;
	sf->flags = id_local ? NVME_MPTCP_SUBFLOW_JOIN_LOC : NVME_MPTCP_SUBFLOW_MCAP_LOC;
	sf->value[NVME_MPTCP_BYTES_SENT] = sent;
	return sf;
}

static void add_link(int ifindex, const char *name)
{
	struct nvme_mptcp_link *link = array_add(&snap->links, &snap->n_links, sizeof(*link));

	assert_non_null(link);
	link->ifindex = ifindex;
	link->flags = IFF_UP | 1 << 16; /* IFF_LOWER_UP */
	link->mtu = 1500;
	link->speed = 1000;
	snprintf(link->name, sizeof(link->name), "%s", name);
}

TEST(closing_connections_are_the_past)
{
	add_ctrl("nvme0", "10.1.1.1", 4420, NULL, NULL, 1);
	add_connection("10.1.1.2", "10.1.1.1", 4420, 1, KERNEL)->state = 4; /* FIN-WAIT-1 */
	add_connection("10.1.1.2", "10.1.1.1", 4420, 2, KERNEL);
	settle(snap);
	assert_int_equal(found(0), 1);
	assert_int_equal(snap->ctrls[0].set.first->token, 2);
}

TEST(a_bound_connection_prefers_who_asked_for_it)
{
	add_link(2, "eth0");
	add_ctrl("nvme0", "10.1.1.1", 4420, NULL, NULL, 1);
	add_ctrl("nvme1", "10.1.1.1", 4420, NULL, "eth0", 1);
	add_connection("10.1.1.2", "10.1.1.1", 4420, 1, KERNEL)->ifindex = 2;
	add_connection("10.1.1.2", "10.1.1.1", 4420, 2, KERNEL);
	settle(snap);
	assert_int_equal(snap->ctrls[0].set.first->token, 2);
	assert_int_equal(snap->ctrls[1].set.first->token, 1);
}

/* Two connections from an address that only nvme0 may have, and the rest from the one of nvme1. */
static void settle_two_sources(int expected, uint32_t connections)
{
	add_ctrl("nvme0", "10.1.1.1", 4420, NULL, NULL, 2);
	add_ctrl("nvme1", "10.1.1.1", 4420, "10.1.1.3", NULL, expected);
	for (uint32_t token = 1; token <= connections; token++)
		add_connection(token <= 2 ? "10.1.1.2" : "10.1.1.3", "10.1.1.1", 4420, token,
			       KERNEL);
	settle(snap);
}

TEST(what_is_left_over_is_inferred)
{
	settle_two_sources(2, 4);
	assert_int_equal(found(0), 2);
	assert_int_equal(found(1), 2);
	assert_int_equal(snap->ctrls[0].set.first->attribution, NVME_MPTCP_EXACT);
	assert_int_equal(snap->ctrls[1].set.first->attribution, NVME_MPTCP_INFERRED);
}

TEST(leftovers_of_the_last_owner_are_its_even_if_some_are_missing)
{
	settle_two_sources(2, 3);
	assert_int_equal(found(1), 1);
	assert_int_equal(snap->ctrls[1].set.first->attribution, NVME_MPTCP_INFERRED);
	assert_int_equal(snap->n_shared, 0);
}

TEST(more_than_the_last_owner_lacks_stay_shared)
{
	settle_two_sources(1, 4);
	assert_int_equal(found(1), 0);
	assert_int_equal(snap->n_shared, 1);
	assert_int_equal(snap->shared[0].n_ctrls, 2);
	assert_string_equal(snap->shared[0].ctrls[0]->name, "nvme0");
}

TEST(records_decide_what_addresses_do_not)
{
	char dir[] = "/tmp/mptcp-records-XXXXXX";
	static const char *const names[] = { "nvme0", "nvme1", "nvme2", "nvme3" };

	assert_non_null(mkdtemp(dir));
	snap->record_dir = dir;
	snap->netns_id = 4711;
	for (int i = 0; i < 4; i++)
		add_ctrl(names[i], "10.1.1.1", 4420, NULL, NULL, 2)->subsysnqn = strdup(names[i]);
	for (uint32_t token = 10; token < 18; token++)
		add_connection("10.1.1.2", "10.1.1.1", 4420, token, KERNEL);
	write_record(dir, "nvme0", "nvme0", 10, 2);
	/* One connection is gone, and another took its place. */
	write_record(dir, "nvme1", "nvme1", 13, 1);
	/* Another controller had that name. */
	write_record(dir, "nvme2", "other", 14, 2);
	settle(snap);
	assert_int_equal(found(0), 2);
	assert_int_equal(snap->ctrls[0].set.first->attribution, NVME_MPTCP_RECORDED);
	assert_int_equal(snap->ctrls[0].set.first->token, 10);
	assert_int_equal(found(1), 1);
	assert_int_equal(snap->n_shared, 1);
	/* nvme0 is complete and out of the question. */
	assert_int_equal(snap->shared[0].n_ctrls, 3);
	assert_int_equal(snap->shared[0].set.count, 5);
	assert_int_equal(nvme_mptcp_snapshot_errno(snap, NVME_MPTCP_RECORDS), 0);
	remove_records(dir);
}

TEST(records_of_another_namespace_or_none_at_all)
{
	char dir[] = "/tmp/mptcp-records-XXXXXX", path[64];
	FILE *file;

	assert_non_null(mkdtemp(dir));
	snap->record_dir = dir;
	snap->netns_id = 1;
	add_ctrl("nvme0", "10.1.1.1", 4420, NULL, NULL, 1)->subsysnqn = strdup("nvme0");
	add_ctrl("nvme1", "10.1.1.1", 4420, NULL, NULL, 1);
	add_connection("10.1.1.2", "10.1.1.1", 4420, 10, KERNEL);
	write_record(dir, "nvme0", "nvme0", 10, 1);
	snprintf(path, sizeof(path), "%s/nvme1", dir);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("tokens zzz\n", file);
	fclose(file);
	settle(snap);
	assert_int_equal(snap->n_shared, 1);
	assert_int_equal(nvme_mptcp_snapshot_errno(snap, NVME_MPTCP_RECORDS), EBADMSG);
	remove_records(dir);
}

TEST(record_texts)
{
	static const char *const bad[] = {
		"",
		"tokens\n",
		"tokens 1 x\n",
		"tokens 123456789\n",
		"netns x\ntokens 1\n",
		"netns\ntokens 1\n",
		"netns 1\n",
	};
	struct record record = {};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(record_parse(bad[i], &record), -EBADMSG);
	assert_int_equal(record_parse("netns 7\nfuture 1 2\nsubsysnqn nqn a\ntokens 1 ffffffff\n",
				      &record),
			 0);
	assert_int_equal(record.netns, 7);
	assert_string_equal(record.subsysnqn, "nqn a");
	assert_int_equal(record.n_tokens, 2);
	assert_int_equal(record.tokens[1], UINT32_MAX);
	record_clear(&record);
}

TEST(subflows_join_by_token_and_use_links)
{
	nvme_mptcp_set_t set;
	nvme_mptcp_connection_t conn;
	nvme_mptcp_subflow_t sf;
	nvme_mptcp_usage_t usage;

	add_link(2, "eth0");
	add_link(3, "eth1");
	add_ctrl("nvme0", "10.1.1.1", 4420, NULL, NULL, 1);
	add_connection("10.1.1.2", "10.1.1.1", 4420, 77, KERNEL)->fallback = 0;
	/* In the order of a hash table; the initial subflow comes out first. */
	add_subflow(77, "10.1.2.2", "10.1.2.1", 3, 2, 300);
	add_subflow(78, "10.1.2.2", "10.1.2.1", 3, 1, 1000);
	add_subflow(77, "10.1.1.2", "10.1.1.1", 2, 0, 100);
	add_subflow(77, "10.1.2.2", "10.1.1.1", 3, 1, NVME_MPTCP_UNKNOWN)->state = STATE_SYN_SENT;
	settle(snap);

	set = nvme_mptcp_ctrl_connections(&snap->ctrls[0]);
	assert_int_equal(nvme_mptcp_set_subflows(set), 3);
	conn = nvme_mptcp_connection_next(set, NULL);
	assert_int_equal(nvme_mptcp_connection_n_subflows(conn), 3);
	sf = nvme_mptcp_subflow_next(conn, NULL);
	assert_int_equal(nvme_mptcp_subflow_id_local(sf), 0);
	assert_string_equal(nvme_mptcp_subflow_local(sf), "10.1.1.2:40000");
	assert_string_equal(nvme_mptcp_link_name(nvme_mptcp_subflow_link(sf)), "eth0");
	sf = nvme_mptcp_subflow_next(conn, sf);
	assert_int_equal(nvme_mptcp_subflow_id_local(sf), 1);
	assert_string_equal(nvme_mptcp_subflow_state(sf), "SYN-SENT");
	assert_false(nvme_mptcp_subflow_is_established(sf));
	sf = nvme_mptcp_subflow_next(conn, sf);
	assert_int_equal(nvme_mptcp_subflow_id_local(sf), 2);
	assert_null(nvme_mptcp_subflow_next(conn, sf));

	usage = nvme_mptcp_usage_next(set, NULL);
	assert_int_equal(nvme_mptcp_usage_bytes_sent(usage), 100);
	usage = nvme_mptcp_usage_next(set, usage);
	assert_int_equal(nvme_mptcp_usage_subflows(usage), 1);
	assert_int_equal(nvme_mptcp_usage_pending(usage), 1);
	assert_int_equal(nvme_mptcp_usage_bytes_sent(usage), 300);
	assert_int_equal(nvme_mptcp_usage_bytes_received(usage), NVME_MPTCP_UNKNOWN);
	assert_null(nvme_mptcp_usage_next(set, usage));

	/* The stranger belonged to a connection that has ended meanwhile: nothing is missing. */
	assert_int_equal(snap->n_orphans, 1);
	assert_int_equal(nvme_mptcp_snapshot_errno(snap, NVME_MPTCP_SUBFLOWS), 0);
}

TEST(without_tokens_the_inode_joins)
{
	struct nvme_mptcp_subflow *sf;

	add_connection("10.1.1.2", "10.1.1.1", 4420, 5, KERNEL)->inode = 999;
	sf = add_subflow(0, "10.1.1.2", "10.1.1.1", 0, 0, 1);
	sf->has_token = false;
	sf->inode = 999;
	settle(snap);
	assert_int_equal(snap->connections[0].n_subflows, 1);
	assert_int_equal(nvme_mptcp_snapshot_errno(snap, NVME_MPTCP_SUBFLOWS), EPERM);
	assert_non_null(nvme_mptcp_snapshot_problem(snap, NVME_MPTCP_SUBFLOWS));
}

TEST(one_without_token_hides_nothing)
{
	struct nvme_mptcp_subflow *sf;

	add_connection("10.1.1.2", "10.1.1.1", 4420, 5, KERNEL)->inode = 999;
	add_subflow(5, "10.1.1.2", "10.1.1.1", 0, 0, 1);
	sf = add_subflow(0, "10.1.2.2", "10.1.1.1", 1, 0, 1);
	sf->has_token = false;
	sf->inode = 999;
	settle(snap);
	assert_int_equal(snap->connections[0].n_subflows, 2);
	assert_null(nvme_mptcp_snapshot_problem(snap, NVME_MPTCP_SUBFLOWS));
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts); /* not that of others */
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* @n controllers, ten sockets each, all behind one portal or each behind its own. */
static double time_to_settle(int n, bool one_portal)
{
	char name[32], portal[32];
	double start;

	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "nvme%d", i);
		snprintf(portal, sizeof(portal), "10.%d.%d.1", one_portal ? 0 : i / 200,
			 one_portal ? 0 : i % 200);
		add_ctrl(name, portal, 4420, NULL, NULL, 10);
		for (int j = 0; j < 10; j++)
			add_connection("10.200.1.1", portal, 4420, i * 10 + j + 1, KERNEL);
	}
	start = now();
	settle(snap);
	if (one_portal)
		assert_int_equal(snap->shared[0].set.count, n * 10);
	else
		assert_int_equal(found(n - 1), 10);
	return now() - start;
}

TEST(cost_is_linear)
{
	/* Quadratic work would take minutes. */
	assert_true(time_to_settle(10000, false) < 10);
	tear_down(state);
	set_up(state);
	assert_true(time_to_settle(10000, true) < 10);
}

/* What names and flags of a hostile device, and of a later kernel, become. */
TEST(json_is_valid_whatever_is_in_it)
{
	static const char *const only[] = { "nvme1", NULL };
	_cleanup_(free) char *text = NULL;
	struct json_object *top;

	add_link(2, "eth0");
	add_ctrl("nvme0", "10.1.1.1", 4420, NULL, NULL, NVME_MPTCP_UNKNOWN);
	add_ctrl("nvme1", "10.1.2.1", 4420, NULL, NULL, 2)->subsysnqn =
		strdup("nqn.\xff\xc3\xa9\xed\xa0\x80\"");
	add_connection("10.1.1.2", "10.1.2.1", 4420, 0xfffffff0, KERNEL);
	add_subflow(0xfffffff0, "10.1.1.2", "10.1.2.1", 2, 0, 123)->flags = 0x80000002;
	settle(snap);
	text = nvme_mptcp_snapshot_to_json(snap, NVME_MPTCP_JSON_CONTROLLERS, only);
	assert_non_null(text);
	top = json_tokener_parse(text);
	assert_non_null(top);
	json_object_put(top);
	assert_null(strstr(text, "nvme0"));
	assert_non_null(strstr(text, "\"nqn.\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd"
				     "\xef\xbf\xbd\\\"\""));
	assert_non_null(strstr(text, "\"token\":4294967280"));
	assert_non_null(strstr(text, "[\"mcap-loc\",\"0x80000000\"]"));
	assert_non_null(strstr(text, "\"rtt_us\":null"));
}

TEST(every_value_has_a_name)
{
	for (int i = 0; i < NVME_MPTCP_VALUES; i++)
		assert_non_null(nvme_mptcp_subflow_value_name(i));
	assert_null(nvme_mptcp_subflow_value_name(NVME_MPTCP_VALUES));
	for (int i = 0; i < NVME_MPTCP_CONN_VALUES; i++)
		assert_non_null(nvme_mptcp_connection_value_name(i));
	assert_null(nvme_mptcp_connection_value_name(-1));
	for (int i = 0; i < NVME_MPTCP_PARTS; i++)
		assert_non_null(nvme_mptcp_part_name(i));
	assert_null(nvme_mptcp_part_name(NVME_MPTCP_PARTS));
}

/* A program that prints what a later library has prints a word. */
TEST(a_value_of_later_has_a_name)
{
	assert_string_equal(nvme_mptcp_attribution_name(99), "unknown");
	assert_string_equal(nvme_mptcp_coverage_state_name(99), "unknown");
	assert_string_equal(nvme_mptcp_link_kind_name(99), "unknown");
	assert_string_equal(nvme_mptcp_plan_method_name(99), "unknown");
	assert_string_equal(nvme_mptcp_reason_name(99), "unknown");
	assert_string_equal(nvme_mptcp_role_name(99), "unknown");
	assert_string_equal(nvme_mptcp_severity_name(99), "unknown");
	assert_string_equal(nvme_mptcp_step_state_name(99), "unknown");
}
