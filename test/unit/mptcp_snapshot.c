// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a snapshot has of controllers and of the target's ports, also of those that are going. */
#include <sys/stat.h>
#include <unistd.h>

#include <nvme/mptcp.h>

#include "fail_alloc.h"
#include "fake_sysfs.h"
#include "mptcp/snapshot/snapshot.h"
#include "mptcp/snapshot/target.h"
#include "mptcp_messages.h"
#include "mptcp_standin.h"

#define NQN "nqn.2024-01.org.example:a"

static const char *sysfs;
static nvme_root_t r;

static int begin(void **state)
{
	sysfs = fake_sysfs_begin();
	fake_subsystem(0, NQN);
	for (int i = 0; i < 3; i++)
		fake_fabrics(i, 0, "mptcp", STANDIN_ADDRESS, NQN);
	r = nvme_create_root(NULL, -1);
	return r ? 0 : -1;
}

static int end(void **state)
{
	fail_alloc_after(-1);
	nvme_free_tree(r);
	fake_sysfs_end();
	return 0;
}

/* What a controller was asked to use is told, too, and so is where all of it was looked at. */
TEST(controllers_are_told_whole)
{
	nvme_mptcp_snapshot_t snap = NULL;
	struct stat netns;
	char *text;

	fake_fabrics(7, 0, "mptcp",
		     "traddr=" STANDIN_PORTAL ",trsvcid=4421,host_traddr=" STANDIN_SOURCE
		     ",host_iface=standin1",
		     NQN);
	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	assert_int_equal(nvme_mptcp_snapshot_take(r, NULL, &snap), 0);
	text = nvme_mptcp_snapshot_to_json(snap, NVME_MPTCP_JSON_CONTROLLERS, NULL);
	assert_non_null(strstr(text, "\"trsvcid\":\"4421\",\"host_traddr\":\"" STANDIN_SOURCE
				     "\",\"host_iface\":\"standin1\""));
	free(text);
	assert_int_equal(stat("/proc/self/ns/net", &netns), 0);
	assert_int_equal(snap->netns_id, netns.st_ino);
	nvme_mptcp_snapshot_free(snap);
}

#define NVMET "sys/kernel/config/nvmet/"

static void make_port(const char *trtype, const char *tsas)
{
	fake_attr(trtype, NVMET "ports/1/addr_trtype");
	fake_attr(STANDIN_PORTAL, NVMET "ports/1/addr_traddr");
	fake_attr("4420", NVMET "ports/1/addr_trsvcid");
	fake_attr(tsas, NVMET "ports/1/addr_tsas");
	fake_attr("1", NVMET "subsystems/" NQN "/attr_allow_any_host");
	fake_attr("1", NVMET "ports/1/subsystems/" NQN "/attr_allow_any_host");
}

static const struct nvme_mptcp_snapshot here;

TEST(ports_of_the_target)
{
	struct target target = { 0 };

	make_port("mptcp", "not specified");
	assert_int_equal(target_read(&here, &target), 0);
	assert_int_equal(target.n_ports, 1);
	assert_string_equal(target.ports[0].name, "1");
	assert_string_equal(target.ports[0].trtype, "mptcp");
	assert_true(target.ports[0].subflows);
	assert_false(target.ports[0].secure);
	assert_true(target.ports[0].has_address);
	assert_int_equal(target.ports[0].address.port, 4420);
	assert_int_equal(target.ports[0].n_subsystems, 1);
	/* What could be offered where nothing is. */
	assert_string_equal(target.subsystem, NQN);
	target_clear(&target);
}

TEST(ports_that_a_relay_takes)
{
	uint16_t taken[] = { 8009, 4420 };
	struct nvme_mptcp_relay_status relay = { .ports = taken, .n_ports = 1 };
	const struct nvme_mptcp_snapshot snap = { .relay = &relay };
	struct target target = { 0 };

	make_port("tcp", "not specified");
	assert_int_equal(target_read(&snap, &target), 0);
	assert_false(target.ports[0].subflows || target.ports[0].relayed);
	target_clear(&target);
	relay.n_ports = 2;
	target = (struct target){ 0 };
	assert_int_equal(target_read(&snap, &target), 0);
	assert_true(target.ports[0].subflows && target.ports[0].relayed);
	target_clear(&target);
}

static bool read_target_once(void)
{
	struct target target = { 0 };
	int err;

	fail_alloc_begin();
	err = target_read(&here, &target);
	fail_alloc_end();
	if (err)
		assert_int_equal(err, -ENOMEM);
	else
		assert_true(target.n_ports == 1 && target.ports[0].secure &&
			    target.ports[0].has_address && target.ports[0].subflows &&
			    target.ports[0].n_subsystems == 1 && target.subsystem);
	target_clear(&target);
	return !err;
}

/* A port that asks for TLS is none that does not, whatever there is no memory for. */
TEST(ports_without_memory)
{
	make_port("mptcp", "tls1.3");
	fail_alloc_each(read_target_once);
}

/* Sorted by name or not, those behind one that is going are there. */
TEST(controllers_that_vanish_hide_no_others)
{
	for (int gone = 0; gone < 3; gone++) {
		struct nvme_mptcp_snapshot *snap = NULL;
		char path[512];

		snprintf(path, sizeof(path), "%s/sys/class/nvme/nvme%d", sysfs, 3 + gone);
		assert_int_equal(symlink("../../devices/nowhere", path), 0);
		assert_int_equal(snapshot_take_sysfs(NULL, &snap), 0);
		assert_int_equal(snap->n_ctrls, 3);
		nvme_mptcp_snapshot_free(snap);
	}
}

static bool closing; /* what a process has open is closed before it is asked what it is */

ssize_t __real_readlinkat(int fd, const char *path, char *buf, size_t size);
ssize_t __wrap_readlinkat(int fd, const char *path, char *buf, size_t size);

ssize_t __wrap_readlinkat(int fd, const char *path, char *buf, size_t size)
{
	if (!closing)
		return __real_readlinkat(fd, path, buf, size);
	errno = ENOENT;
	return -1;
}

/* What a function finds where it has not written yet. */
__attribute__((noinline)) static void fill_stack(uint32_t value)
{
	volatile uint32_t below[4096];

	for (size_t i = 0; i < sizeof(below) / sizeof(*below); i++)
		below[i] = value;
}

/* Nobody has a socket for what was in memory before. */
TEST(sockets_that_are_closed_meanwhile_are_nobodys)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = snapshot_new();
	struct nvme_mptcp_connection *conn;

	conn = array_add(&snap->connections, &snap->n_connections, sizeof(*conn));
	assert_non_null(conn);
	conn->inode = 0xffffff77;
	conn->pid = -1;
	closing = true;
	fill_stack(conn->inode);
	assert_int_equal(snapshot_read_owners(snap), 0);
	closing = false;
	/* Of users who do not see all processes it is not known. */
	assert_true(conn->pid <= 0);
}

/* That nobody can be asked is no answer: neither "no route", nor "nothing is missing". */
TEST(routes_that_cannot_be_asked_for)
{
	static const char *const traddrs[] = { STANDIN_PORTAL, NULL };
	struct nvme_mptcp_repair_args repair = { .args_size = sizeof(repair) };
	struct nvme_mptcp_setup_args setup = { .args_size = sizeof(setup),
					       .role = NVME_MPTCP_ROLE_HOST,
					       .traddrs = traddrs };
	nvme_mptcp_plan_t plan = NULL;

	for (int failing = 0; failing < 2; failing++) {
		_cleanup_(nvme_mptcp_snapshot_free) struct nvme_mptcp_snapshot *snap = NULL;

		standin_route_errno = failing ? ENOBUFS : ENETUNREACH;
		assert_int_equal(snapshot_take_sysfs(NULL, &snap), 0);
		assert_int_equal(nvme_mptcp_snapshot_errno(snap, NVME_MPTCP_LINKS),
				 failing ? ENOBUFS : 0);
		if (failing)
			assert_string_equal(nvme_mptcp_snapshot_problem(snap, NVME_MPTCP_LINKS),
					    "routes: No buffer space available");
		repair.snap = setup.snap = snap;
		errno = 0;
		assert_int_equal(nvme_mptcp_repair(&repair, &plan), failing ? -1 : 0);
		assert_true(!failing || errno == ENODATA);
		if (!failing)
			nvme_mptcp_plan_free(plan);
		snap->problem[NVME_MPTCP_LINKS].err = 0;
		assert_int_equal(nvme_mptcp_setup(&setup, &plan), failing ? -1 : 0);
		assert_true(!failing || errno == ENOBUFS);
		if (!failing)
			nvme_mptcp_plan_free(plan);
	}
	standin_route_errno = 0;
}

ALLOC_TEST(without_memory_there_is_none)
{
	_cleanup_(nvme_mptcp_snapshot_free) struct nvme_mptcp_snapshot *snap = NULL;
	int err;

	fail_alloc_begin();
	err = snapshot_take_sysfs(NULL, &snap);
	fail_alloc_end();
	if (err)
		assert_int_equal(err, -ENOMEM);
	else
		assert_int_equal(snap->n_ctrls, 3);
	return !err;
}

/* The third packet of a join got lost: the kernel sends nothing there. */
TEST(a_join_that_is_not_confirmed)
{
	static const struct {
		int64_t flags, sent, ack_ms;
		bool is_unconfirmed;
		int64_t rtt_us;
	} joins[] = {
		{ NVME_MPTCP_SUBFLOW_JOIN_LOC, 0, 800, true },
		{ NVME_MPTCP_SUBFLOW_JOIN_LOC, 0, 799, false }, /* it may be on its way */
		{ NVME_MPTCP_SUBFLOW_JOIN_LOC, 1, 800, false },
		{ NVME_MPTCP_SUBFLOW_JOIN_LOC, 0, NVME_MPTCP_UNKNOWN, false },
		{ NVME_MPTCP_SUBFLOW_JOIN_LOC | NVME_MPTCP_SUBFLOW_FULLY_ESTABLISHED, 0, 800,
		  false },
		{ NVME_MPTCP_SUBFLOW_JOIN_REM, 0, 800, false }, /* the peer made it */
		{ NVME_MPTCP_UNKNOWN, 0, 800, false },
		{ NVME_MPTCP_SUBFLOW_JOIN_LOC, 0, 1999, false, 600000 }, /* it is far away */
		{ NVME_MPTCP_SUBFLOW_JOIN_LOC, 0, 2000, true, 600000 },
	};

	for (size_t i = 0; i < sizeof(joins) / sizeof(*joins); i++) {
		struct nvme_mptcp_subflow sf = { .state = STATE_ESTABLISHED };

		sf.flags = joins[i].flags;
		assert_int_equal(nvme_mptcp_subflow_is_confirmed(&sf),
				 sf.flags != NVME_MPTCP_SUBFLOW_JOIN_LOC);
		sf.value[NVME_MPTCP_BYTES_SENT] = joins[i].sent;
		sf.value[NVME_MPTCP_RTT_US] = joins[i].rtt_us;
		sf.value[NVME_MPTCP_LAST_ACK_RECV_MS] = joins[i].ack_ms;
		assert_int_equal(nvme_mptcp_subflow_is_carrying(&sf), !joins[i].is_unconfirmed);
		if (joins[i].is_unconfirmed)
			assert_string_equal(nvme_mptcp_subflow_trouble(&sf),
					    "the other end has not confirmed the join");
	}
}

EACH_TEST(begin, end)
