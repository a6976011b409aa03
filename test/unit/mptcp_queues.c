/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Controllers that show their queues: the attribute is read, and decides what belongs to whom. */
#include "fake_sysfs.h"
#include "tree.h"
#include "mptcp_attribute.h"

DEFINE_CLEANUP(nvme_root_t, nvme_free_tree);

/* The controller shows the connections of these tokens as its queues. */
static void show_queues(struct nvme_mptcp_ctrl *ctrl, uint32_t first, uint32_t end)
{
	ctrl->shows_queues = true;
	for (size_t i = 0; i < snap->n_connections; i++) {
		struct nvme_mptcp_connection *conn = &snap->connections[i];
		struct ctrl_queue *queue;

		if (conn->token < first || conn->token >= end)
			continue;
		queue = array_add(&ctrl->queues, &ctrl->n_queues, sizeof(*queue));
		assert_non_null(queue);
		*queue = (struct ctrl_queue){ conn->local, conn->remote };
	}
}

/* Connections 1 to 6 to one portal, for which there are two controllers of three queues each. */
static void put_two_behind_one_portal(void)
{
	add_ctrl("nvme0", "10.1.1.1", 4420, "10.1.1.2", NULL, 3);
	add_ctrl("nvme1", "10.1.1.1", 4420, "10.1.1.2", NULL, 3);
	for (uint32_t token = 1; token <= 6; token++)
		add_connection("10.1.1.2", "10.1.1.1", 4420, token, KERNEL);
}

TEST(what_controllers_show_decides)
{
	put_two_behind_one_portal();
	show_queues(&snap->ctrls[0], 4, 7);
	show_queues(&snap->ctrls[1], 1, 4);
	settle(snap);
	assert_int_equal(snap->n_shared, 0);
	assert_int_equal(snap->other.count, 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(found(i), 3);
		nvme_mptcp_for_each_connection(nvme_mptcp_ctrl_connections(&snap->ctrls[i]), conn) {
			assert_int_equal(nvme_mptcp_connection_attribution(conn), NVME_MPTCP_EXACT);
			assert_int_equal(conn->token > 3, i == 0);
		}
	}
}

/* Records of connecting, other addresses and a closing state do not count against it. */
TEST(what_controllers_show_outweighs_all_else)
{
	char dir[] = "/tmp/mptcp-records-XXXXXX";

	put_two_behind_one_portal();
	assert_non_null(mkdtemp(dir));
	snap->record_dir = dir;
	for (int i = 0; i < 2; i++)
		snap->ctrls[i].subsysnqn = strdup("nqn");
	write_record(dir, "nvme0", "nqn", 1, 3);
	show_queues(&snap->ctrls[0], 4, 7);
	show_queues(&snap->ctrls[1], 1, 4);
	snap->ctrls[0].source = ip("10.9.9.9");
	snap->ctrls[1].has_portal = false;
	snap->connections[5].state = 4; /* FIN-WAIT-1 */
	settle(snap);
	assert_int_equal(found(0), 3);
	assert_int_equal(snap->ctrls[0].set.first->token, 4);
	assert_int_equal(found(1), 3);
	assert_int_equal(snap->ctrls[1].set.first->token, 1);
	remove_records(dir);
}

/* One shows all its queues, so what is left is the other's, which is being connected. */
TEST(what_is_not_shown_is_whose_queues_are_missing)
{
	put_two_behind_one_portal();
	show_queues(&snap->ctrls[0], 1, 4);
	show_queues(&snap->ctrls[1], 4, 5);
	settle(snap);
	assert_int_equal(found(0), 3);
	assert_int_equal(found(1), 3);
	assert_int_equal(snap->ctrls[1].set.first->attribution, NVME_MPTCP_EXACT);
	assert_int_equal(snap->ctrls[1].set.last->attribution, NVME_MPTCP_INFERRED);
	assert_int_equal(snap->n_shared, 0);
}

TEST(what_several_might_show_is_nobodys_yet)
{
	put_two_behind_one_portal();
	show_queues(&snap->ctrls[0], 1, 2);
	show_queues(&snap->ctrls[1], 2, 2);
	settle(snap);
	assert_int_equal(found(0), 1);
	assert_int_equal(found(1), 0);
	assert_int_equal(snap->n_shared, 0);
	assert_int_equal(snap->other.count, 5);
}

/* Complete controllers own what they show and nothing else: not what outlived a removed one. */
TEST(what_complete_controllers_do_not_show_is_not_theirs)
{
	put_two_behind_one_portal();
	show_queues(&snap->ctrls[0], 1, 4);
	show_queues(&snap->ctrls[1], 4, 7);
	add_connection("10.1.1.2", "10.1.1.1", 4420, 7, KERNEL);
	add_connection("10.1.1.2", "10.1.1.1", 4420, 8, PROCESS);
	settle(snap);
	assert_int_equal(found(0), 3);
	assert_int_equal(found(1), 3);
	assert_int_equal(snap->other.count, 1);
	assert_int_equal(snap->other.first->token, 7);
	assert_int_equal(snap->userspace.count, 1);
}

/* A controller alone at its portal that shows none of its queues yet: the addresses decide. */
TEST(the_only_one_that_fits_needs_to_show_nothing)
{
	add_ctrl("nvme0", "10.1.1.1", 4420, NULL, NULL, 2);
	add_connection("10.1.1.2", "10.1.1.1", 4420, 1, KERNEL)->state = STATE_SYN_SENT;
	show_queues(&snap->ctrls[0], 0, 0);
	settle(snap);
	assert_int_equal(found(0), 1);
	assert_int_equal(snap->ctrls[0].set.first->attribution, NVME_MPTCP_EXACT);
}

/* Where one shows its queues and another cannot, the rest is attributed as without the attribute. */
TEST(one_that_cannot_show_is_left)
{
	put_two_behind_one_portal();
	add_ctrl("nvme2", "10.1.1.1", 4420, "10.1.1.2", NULL, 3);
	show_queues(&snap->ctrls[0], 1, 3);
	settle(snap);
	assert_int_equal(found(0), 2);
	assert_int_equal(snap->n_shared, 1);
	assert_int_equal(snap->shared[0].n_ctrls, 2);
	assert_string_equal(snap->shared[0].ctrls[0]->name, "nvme1");
	assert_int_equal(snap->shared[0].set.count, 4);
}

static struct socket_address end(const char *address, uint16_t port)
{
	return (struct socket_address){ ip(address), port };
}

TEST(lists_of_queues)
{
	static const char *const bad[] = {
		"0",
		"0 10.1.1.2:1",
		"x 10.1.1.2:1 10.1.1.1:2",
		"-1 10.1.1.2:1 10.1.1.1:2",
		"0 10.1.1.2 10.1.1.1:2",
		"0 10.1.1.2:0 10.1.1.1:2",
		"0 10.1.1.2:65536 10.1.1.1:2",
		"0 :1 10.1.1.1:2",
		"0 10.1.1.2:1 host:2",
		"0 10.1.1.2:1 10.1.1.1:2\n1",
	};
	_cleanup_(free) struct ctrl_queue *queues = NULL;
	struct ctrl_queue *none = NULL;
	struct socket_address expected[] = { end("10.1.1.2", 40000), end("fd00::1", 65535),
					     end("fe80::2", 1), end("10.1.1.1", 2) };
	size_t n = 7;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(ctrl_queues_parse(bad[i], &none, &n), -EBADMSG);
	assert_int_equal(n, 7);
	assert_int_equal(ctrl_queues_parse("", &none, &n), 0);
	assert_int_equal(n, 0);
	assert_null(none);
	assert_int_equal(ctrl_queues_parse("0 10.1.1.2:40000 10.1.1.1:4420\n"
					   "3 [fd00::2]:1 [fd00::1]:65535 later\n"
					   "4 [fe80::2%3]:1 [::ffff:10.1.1.1]:2\n",
					   &queues, &n),
			 0);
	assert_int_equal(n, 3);
	assert_true(address_port_equal(&queues[0].local, &expected[0]));
	assert_true(address_port_equal(&queues[1].remote, &expected[1]));
	assert_true(address_port_equal(&queues[2].local, &expected[2]));
	assert_true(address_port_equal(&queues[2].remote, &expected[3]));
}

#define QUEUES "sys/devices/virtual/nvme-fabrics/ctl/nvme%d/queue_addrs"

/* By a tree and straight from /sys, which have to agree. */
static void read_ctrls(bool tree)
{
	_cleanup_(nvme_free_tree) nvme_root_t r = tree ? nvme_scan(NULL) : NULL;

	tear_down(NULL);
	set_up(NULL);
	assert_int_equal(tree ? snapshot_read_ctrls(snap, r) : snapshot_read_ctrls_sysfs(snap), 0);
}

/* It may be connected in any network namespace, and only there the zone is a link's. */
TEST(zones_are_of_where_it_is_connected)
{
	const struct in6_addr portal = end("fe80::1", 1).ip, source = end("fe80::2", 1).ip;

	fake_sysfs_begin();
	fake_subsystem(0, FAKE_NQN);
	fake_fabrics(0, 0, "mptcp",
		     "traddr=fe80::1%nosuch0,trsvcid=4420,host_traddr=fe80::2%nosuch0", FAKE_NQN);
	fake_attr("0 [fe80::2%nosuch0]:1 [fe80::1%nosuch0]:4420\n", QUEUES, 0);
	for (int tree = 0; tree < 2; tree++) {
		const struct nvme_mptcp_ctrl *ctrl;

		read_ctrls(tree);
		ctrl = snap->ctrls;
		assert_int_equal(snap->n_ctrls, 1);
		assert_true(ctrl->has_portal && address_equal(&ctrl->portal.ip, &portal));
		assert_true(ctrl->has_source && address_equal(&ctrl->source, &source));
		assert_int_equal(ctrl->n_queues, 1);
	}
	fake_sysfs_end();
}

#define NVME0 "sys/devices/virtual/nvme-fabrics/ctl/nvme0/"

/* What a snapshot with the connections of these tokens shows of nvme0. */
static void shows(const uint32_t *tokens, bool shows_queues, size_t n_queues, const char *src_addr)
{
	tear_down(NULL);
	set_up(NULL);
	for (; *tokens; tokens++)
		add_connection("10.1.1.2", "10.1.1.1", 4420, *tokens, KERNEL)->inode = *tokens;
	/* To another portal, and by a process: new ones of these are no reason to ask. */
	add_connection("10.1.1.2", "10.1.1.1", 4420, 98, PROCESS);
	add_connection("10.1.1.2", "10.1.1.1", 4421, 99, KERNEL);
	assert_int_equal(snapshot_read_ctrls_sysfs(snap), 0);
	assert_int_equal(snap->n_ctrls, 1);
	assert_int_equal(snap->ctrls[0].shows_queues, shows_queues);
	assert_int_equal(snap->ctrls[0].n_queues, n_queues);
	if (src_addr)
		assert_string_equal(snap->ctrls[0].src_addr, src_addr);
	else
		assert_null(snap->ctrls[0].src_addr);
	assert_string_equal(snap->ctrls[0].traddr, "10.1.1.1");
	assert_null(nvme_mptcp_snapshot_problem(snap, NVME_MPTCP_CONTROLLERS));
}

/* Asking a socket twice may stop the kernel: the second snapshot has what the first one read. */
TEST(sockets_are_asked_again_after_a_reconnection)
{
	static const uint32_t old[] = { 1, 2, 0 }, new[] = { 3, 4, 0 };

	for (int has_queues = 0; has_queues < 2; has_queues++) {
		fake_sysfs_begin();
		fake_subsystem(0, FAKE_NQN);
		fake_fabrics(0, 0, "mptcp", "traddr=10.1.1.1,trsvcid=4420,src_addr=10.1.1.2",
			     FAKE_NQN);
		fake_attr("1\n", NVME0 "cntlid");
		if (has_queues)
			fake_attr("0 10.1.1.2:1 10.1.1.1:4420\n1 10.1.1.2:2 10.1.1.1:4420\n",
				  QUEUES, 0);
		shows(old, has_queues, has_queues * 2, "10.1.1.2");

#define ANSWER(source) \
	do { \
		fake_attr("traddr=10.1.1.1,trsvcid=4420,src_addr=" source "\n", NVME0 "address"); \
		if (has_queues) \
			fake_attr("0 " source ":7 10.1.1.1:4420\n", QUEUES, 0); \
	} while (0)
		ANSWER("10.1.3.2");
		shows(old, has_queues, has_queues * 2, "10.1.1.2");
		shows(new, has_queues, has_queues, "10.1.3.2");
		ANSWER("10.1.4.2");
		shows(new, has_queues, has_queues, "10.1.3.2");
		fake_attr("2\n", NVME0 "cntlid");
		shows(new, has_queues, has_queues, "10.1.4.2");
		ANSWER("10.1.5.2");
		fake_attr("connecting\n", NVME0 "state");
		shows(new, has_queues, 0, NULL);
		fake_attr("live\n", NVME0 "state");
		shows(new, has_queues, has_queues, "10.1.5.2");
		fake_sysfs_end();
	}
}
