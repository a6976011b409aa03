/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Endpoints: flags, texts and adding again, of which test/shapes/test_seen_commands.py has more. */
#include "mptcp_findings.h"

#define SIGNAL NVME_MPTCP_ENDPOINT_SIGNAL
#define SUBFLOW NVME_MPTCP_ENDPOINT_SUBFLOW
#define BACKUP NVME_MPTCP_ENDPOINT_BACKUP
#define FULLMESH NVME_MPTCP_ENDPOINT_FULLMESH
#define IMPLICIT NVME_MPTCP_ENDPOINT_IMPLICIT
#define LAMINAR NVME_MPTCP_ENDPOINT_LAMINAR
#define LATER_KERNEL (1 << 9)

/*
 * The columns "by itself" and "announces" are what Linux 6.18 counted in struct mptcp_info of a new
 * socket (mptcpi_local_addr_max, mptcpi_add_addr_signal_max) with one such endpoint in an empty
 * network namespace; "when announced" is mptcpi_endp_laminar_max for laminar, and for fullmesh
 * fill_local_addresses_vec_fullmesh() of net/mptcp/pm_kernel.c.
 */
static const struct {
	int64_t flags;
	bool by_itself, when_announced, announces;
} known[] = {
	{ 0, false, false, false },
	{ SIGNAL, false, false, true },
	{ SUBFLOW, true, false, false },
	{ SIGNAL | SUBFLOW, true, false, true },
	{ BACKUP, false, false, false },
	{ SIGNAL | BACKUP, false, false, true },
	{ SUBFLOW | BACKUP, true, false, false },
	{ SIGNAL | SUBFLOW | BACKUP, true, false, true },
	{ FULLMESH, false, true, false },
	{ SUBFLOW | FULLMESH, true, true, false },
	{ BACKUP | FULLMESH, false, true, false },
	{ SUBFLOW | BACKUP | FULLMESH, true, true, false },
	{ LAMINAR, false, true, false },
	{ SIGNAL | LAMINAR, false, true, true },
	{ SUBFLOW | LAMINAR, true, true, false },
	{ SIGNAL | SUBFLOW | LAMINAR, true, true, true },
	{ BACKUP | LAMINAR, false, true, false },
	{ SUBFLOW | BACKUP | LAMINAR, true, true, false },
	{ FULLMESH | LAMINAR, false, true, false },
	{ SUBFLOW | FULLMESH | LAMINAR, true, true, false },
	/* Only kernels make these, and only without the others. */
	{ IMPLICIT, false, false, false },
	{ LATER_KERNEL, false, false, false },
	{ SUBFLOW | LATER_KERNEL, true, false, false },
	{ NVME_MPTCP_UNKNOWN, false, false, false },
};

TEST(each_combination_of_flags)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const struct nvme_mptcp_endpoint ep = { .flags = known[i].flags };

		assert_int_equal(nvme_mptcp_endpoint_starts_by_itself(&ep), known[i].by_itself);
		assert_int_equal(nvme_mptcp_endpoint_starts_when_announced(&ep),
				 known[i].when_announced);
		assert_int_equal(nvme_mptcp_endpoint_announces(&ep), known[i].announces);
		assert_int_equal(endpoint_starts_subflows(&ep),
				 known[i].by_itself || known[i].when_announced);
	}
}

/* "ip mptcp endpoint add": EINVAL of Linux 6.18 for these, and for these alone. */
TEST(what_the_kernel_refuses)
{
	assert_int_equal(endpoint_conflict(SIGNAL | FULLMESH, 0), ENDPOINT_CONFLICT_MESH);
	assert_int_equal(endpoint_conflict(SIGNAL | FULLMESH, 4420), ENDPOINT_CONFLICT_MESH);
	assert_int_equal(endpoint_conflict(SUBFLOW, 4420), ENDPOINT_CONFLICT_PORT);
	assert_int_equal(endpoint_conflict(0, 4420), ENDPOINT_CONFLICT_PORT);
	assert_int_equal(endpoint_conflict(SIGNAL | SUBFLOW, 4420), ENDPOINT_CONFLICT_NONE);
	assert_int_equal(endpoint_conflict(SIGNAL | LAMINAR, 0), ENDPOINT_CONFLICT_NONE);
	assert_int_equal(endpoint_conflict(SUBFLOW | FULLMESH, 0), ENDPOINT_CONFLICT_NONE);
	assert_int_equal(endpoint_conflict(NVME_MPTCP_UNKNOWN, 4420), ENDPOINT_CONFLICT_NONE);
}

TEST(flags_of_each_side)
{
	assert_int_equal(endpoint_flags_for_host(SIGNAL), SUBFLOW);
	assert_int_equal(endpoint_flags_for_host(SIGNAL | BACKUP), SUBFLOW | BACKUP);
	assert_int_equal(endpoint_flags_for_host(SIGNAL | LAMINAR), LAMINAR);
	assert_int_equal(endpoint_flags_for_host(SIGNAL | FULLMESH), FULLMESH);
	assert_int_equal(endpoint_flags_for_target(SUBFLOW), SIGNAL);
	assert_int_equal(endpoint_flags_for_target(SUBFLOW | FULLMESH | BACKUP), SIGNAL | BACKUP);
	assert_int_equal(endpoint_flags_for_target(SIGNAL | LAMINAR), SIGNAL);
}

TEST(as_a_command_has_it)
{
	static const struct {
		const char *address, *device, *expected;
		int64_t flags;
		uint16_t port;
		uint8_t id;
	} specs[] = {
		{ "10.1.2.2", "", "10.1.2.2", 0, 0, 0 },
		/* The kernel takes neither of these from anybody. */
		{ "10.1.2.2", "", "10.1.2.2", IMPLICIT | LATER_KERNEL, 0, 0 },
		{ "10.1.2.2", "", "10.1.2.2 FLAGS", NVME_MPTCP_UNKNOWN, 0, 0 },
		{ "fd00:1111:2222:3333:4444:5555:6666:7777", "fifteen-letters",
		  "fd00:1111:2222:3333:4444:5555:6666:7777 dev fifteen-letters id 255 signal "
		  "subflow backup fullmesh laminar port 65535",
		  SIGNAL | SUBFLOW | BACKUP | FULLMESH | LAMINAR, 65535, 255 },
	};

	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		struct endpoint_spec spec = {
			.ip = ip(specs[i].address),
			.flags = specs[i].flags,
			.port = specs[i].port,
			.id = specs[i].id,
		};
		char text[ENDPOINT_SPEC_TEXT];

		snprintf(spec.device, sizeof(spec.device), "%s", specs[i].device);
		endpoint_spec_text(&spec, text);
		assert_string_equal(text, specs[i].expected);
	}
}

TEST(where_it_is_of_use)
{
	const struct nvme_mptcp_link up = { .flags = IFF_UP | LOWER_UP };
	const struct nvme_mptcp_link unplugged = { .flags = IFF_UP };
	struct nvme_mptcp_endpoint ep = { .ip = ip("10.1.2.2"), .link = &up };
	struct nvme_mptcp_connection conn = { .local.ip = ip("10.1.1.2") };

	assert_true(nvme_mptcp_endpoint_is_usable(&ep));
	ep.ifindex = 2;
	assert_false(nvme_mptcp_endpoint_is_usable(&ep));
	ep.device = &up;
	assert_true(nvme_mptcp_endpoint_is_usable(&ep));
	ep.device = ep.link = &unplugged;
	assert_false(nvme_mptcp_endpoint_is_usable(&ep));
	ep.link = NULL;
	assert_false(nvme_mptcp_endpoint_is_usable(&ep));

	assert_true(nvme_mptcp_endpoint_fits(&ep, "192.0.2.1"));
	assert_true(nvme_mptcp_endpoint_fits(&ep, "::ffff:192.0.2.1"));
	assert_false(nvme_mptcp_endpoint_fits(&ep, "2001:db8::1"));
	assert_false(nvme_mptcp_endpoint_fits(&ep, "target.example.org"));
	assert_false(nvme_mptcp_endpoint_fits(&ep, NULL));

	assert_false(nvme_mptcp_endpoint_is_initial(&ep, &conn));
	conn.local.ip = ip("10.1.2.2");
	assert_true(nvme_mptcp_endpoint_is_initial(&ep, &conn));
}

/* Two connections with a subflow on each of three links; endpoints on the second and the third. */
static struct nvme_mptcp_snapshot *joined_host(void (*change)(struct nvme_mptcp_snapshot *snap))
{
	struct nvme_mptcp_snapshot *snap = clean_host();

	if (change)
		change(snap);
	assert_int_equal(snapshot_join(snap), 0);
	return snap;
}

static void lose(struct nvme_mptcp_snapshot *snap, uint32_t token, int link)
{
	for (size_t i = 0; i < snap->n_subflows; i++)
		if (snap->subflows[i].token == token && snap->subflows[i].ifindex == link)
			snap->subflows[i].state = STATE_CLOSE_WAIT;
}

static void lose_all_but_eth2(struct nvme_mptcp_snapshot *snap)
{
	lose(snap, 2, 1);
	lose(snap, 2, 3);
}

static void unplug_eth1_and_eth3(struct nvme_mptcp_snapshot *snap)
{
	snap->links[0].flags = snap->links[2].flags = IFF_UP;
}

static void unplug_all(struct nvme_mptcp_snapshot *snap)
{
	unplug_eth1_and_eth3(snap);
	snap->links[1].flags = IFF_UP;
}

static void lose_the_initial(struct nvme_mptcp_snapshot *snap)
{
	lose(snap, 1, 1);
	lose(snap, 2, 1);
}

/* What the others have is under way only. */
static void wait_for_joins(struct nvme_mptcp_snapshot *snap)
{
	for (size_t i = 0; i < snap->n_subflows; i++)
		if (snap->subflows[i].ifindex != 2)
			snap->subflows[i].state = STATE_SYN_SENT;
}

static void give_it_a_port(struct nvme_mptcp_snapshot *snap)
{
	lose_all_but_eth2(snap);
	snap->endpoints[0].port = 4421;
}

static void come_between_the_dumps(struct nvme_mptcp_snapshot *snap)
{
	add_subflow(snap, 99, 2);
}

TEST(which_connections_end_with_it)
{
	static const struct {
		void (*change)(struct nvme_mptcp_snapshot *snap);
		size_t eth2, eth3, both;
	} cases[] = {
		{ NULL, 0, 0, 0 },
		{ lose_all_but_eth2, 1, 0, 1 },
		{ unplug_eth1_and_eth3, 2, 0, 2 },
		/* What the link brings back is all that they have. */
		{ unplug_all, 2, 2, 2 },
		{ lose_the_initial, 0, 0, 2 },
		{ wait_for_joins, 2, 0, 2 },
		/* The kernel compares the ports as well. */
		{ give_it_a_port, 0, 0, 0 },
		{ come_between_the_dumps, 1, 0, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_snapshot *snap = joined_host(cases[i].change);
		const struct nvme_mptcp_endpoint *eps[] = { &snap->endpoints[0],
							    &snap->endpoints[1] };

		assert_int_equal(endpoint_count_ended(snap, eps, 1, NULL), cases[i].eth2);
		assert_int_equal(endpoint_count_ended(snap, eps + 1, 1, NULL), cases[i].eth3);
		assert_int_equal(endpoint_count_ended(snap, eps, 2, NULL), cases[i].both);
		assert_int_equal(endpoint_is_last_for(snap, eps[0]), cases[i].eth2 > 0);
		assert_int_equal(endpoint_is_last_for(snap, eps[1]), cases[i].eth3 > 0);
		nvme_mptcp_snapshot_free(snap);
	}
}

TEST(whether_subflows_are_known)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = clean_host();

	assert_true(snapshot_shows_subflows(snap));
	problem_set(snap, NVME_MPTCP_SUBFLOWS, EAGAIN, "they came and went");
	assert_true(snapshot_shows_subflows(snap));
	problem_set(snap, NVME_MPTCP_CONNECTIONS, EPERM, "not allowed");
	assert_false(snapshot_shows_subflows(snap));
}

/* The commands of the first finding about endpoint 2 of @snap, one a line. */
static void expect_commands(struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_role role,
			    const char *expected)
{
	struct check c = {};
	struct nvme_mptcp_findings *findings = run_rules_of_endpoints(&c, snap, role);
	char got[512] = "";
	size_t n = 0;

	nvme_mptcp_for_each_finding(findings, f) {
		enum nvme_mptcp_role side;
		const char *command;

		if (strncmp(nvme_mptcp_finding_subject(f), "endpoint 2 ", 11) != 0 || n)
			continue;
		for (size_t i = 0; (command = nvme_mptcp_finding_fix(f, i, &side)); i++)
			n += (size_t)snprintf(got + n, sizeof(got) - n, "%s\n", command);
	}
	assert_string_equal(got, expected);
	end_rules(&c, findings, snap);
}

static struct nvme_mptcp_snapshot *target_without_ports(void)
{
	struct check c = {};
	struct nvme_mptcp_snapshot *snap = clean_target(&c);

	check_clear(&c);
	return snap;
}

/* What was announced gets a new id: a late removal of the old one is not for it. */
TEST(adding_again_on_a_target)
{
	struct nvme_mptcp_snapshot *snap = target_without_ports();

	snap->endpoints[1].ifindex = 2;
	snap->endpoints[1].flags = SIGNAL | BACKUP;
	snap->endpoints[1].port = 4421;
	expect_commands(snap, NVME_MPTCP_ROLE_TARGET,
			"ip mptcp endpoint delete id 2\n"
			"ip mptcp endpoint add 10.1.3.2 dev eth3 signal backup port 4421\n");

	snap = target_without_ports();
	snap->endpoints[1].flags = SUBFLOW | FULLMESH | BACKUP;
	expect_commands(snap, NVME_MPTCP_ROLE_TARGET,
			"ip mptcp endpoint delete id 2\n"
			"ip mptcp endpoint add 10.1.3.2 dev eth3 id 2 signal backup\n");
}

TEST(what_is_wrong_goes_and_the_rest_stays)
{
	static const struct {
		int64_t flags;
		uint16_t port;
		bool lives;
		const char *expected;
	} cases[] = {
		/* Only announced, by a host; deleting it would close what lives there. */
		{ SIGNAL | BACKUP, 0, true, "" },
		{ SIGNAL | BACKUP, 0, false,
		  "ip mptcp endpoint delete id 2\n"
		  "ip mptcp endpoint add 10.1.3.2 dev eth3 subflow backup\n" },
		/* A port that is not announced. */
		{ SUBFLOW | BACKUP | FULLMESH, 4421, false,
		  "ip mptcp endpoint delete id 2\n"
		  "ip mptcp endpoint add 10.1.3.2 dev eth3 id 2 subflow backup fullmesh\n" },
		/* One with a port is announced for what this machine serves itself. */
		{ SIGNAL, 4421, false, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nvme_mptcp_snapshot *snap = clean_host();

		snap->endpoints[1].flags = cases[i].flags;
		snap->endpoints[1].port = cases[i].port;
		if (!cases[i].lives)
			end_subflows(snap, 3);
		expect_commands(snap, NVME_MPTCP_ROLE_HOST, cases[i].expected);
	}
}
