// SPDX-License-Identifier: LGPL-2.1-or-later
/* What is said of a target's ports, which configfs shows in all network namespaces. */
#include "fake_sysfs.h"
#include "mptcp/check/ask.h"
#include "mptcp_findings.h"

#define NVMET "/sys/kernel/config/nvmet/"

/* The host whose target is in another network namespace of this machine, by @role. */
static void expect_beside_target(enum nvme_mptcp_role role, const char *traddr,
				 const char *expected)
{
	struct check c = {}, target = {};
	nvme_mptcp_snapshot_t other = clean_target(&target);

	enable_port(&target, "nqn");
	c.nvmet = target.nvmet;
	nvme_mptcp_snapshot_free(other);
	expect_with(&c, clean_host(), traddr, role, expected);
}

/* In one command each, or hosts of the second subsystem are told not to try again meanwhile. */
TEST(ports_with_several_subsystems)
{
	struct check c = {};
	struct nvme_mptcp_snapshot *snap = clean_target(&c);

	snap->listeners[0].local.ip = ip("10.1.2.2");
	c.nvmet.ports[0].address.ip = ip("10.1.2.2");
	enable_port(&c, "nqn");
	enable_port(&c, "nqn.x:$(id)");
	EXPECT_FINDING(&c, snap, NULL, NVME_MPTCP_ROLE_TARGET, .rule = "T03",
		       .severity = NVME_MPTCP_ERROR,
		       .fixes = { "rm " NVMET "ports/1/subsystems/nqn '" NVMET
				  "ports/1/subsystems/nqn.x:$(id)'",
				  "echo 0.0.0.0 > " NVMET "ports/1/addr_traddr",
				  "ln -s " NVMET "subsystems/nqn '" NVMET
				  "subsystems/nqn.x:$(id)' " NVMET "ports/1/subsystems/",
				  "" });
}

TEST(ports_of_other_namespaces)
{
	struct nvme_mptcp_snapshot *snap;
	struct check c = {};

	/* Nobody asks for the target: this namespace has none. */
	expect_beside_target(NVME_MPTCP_ROLE_AUTO, NULL, "");
	expect_beside_target(NVME_MPTCP_ROLE_HOST, NULL, "");
	expect_beside_target(NVME_MPTCP_ROLE_TARGET, NULL, "T02 T02 T14");

	/* Where there is nothing else, it is said where they are, if that can be seen; it is no fault. */
	for (int known = 0; known <= 1; known++) {
		snap = clean_target(&c);
		snap->n_listeners = snap->n_endpoints = 0;
		enable_port(&c, "nqn");
		kernel.other_netns = known ? "storage" : NULL;
		EXPECT_FINDING(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, .rule = "T14",
			       .severity = NVME_MPTCP_INFO, .only = true,
			       .why = known ? "Port 1 is enabled, but listens in network namespace "
					      "storage, not in this one: endpoints and limits here "
					      "do not apply to it"
					    : "Port 1 is enabled, but listens in another network "
					      "namespace, not in this one: endpoints and limits "
					      "here do not apply to it",
			       .fixes = { known ? "nvme mptcp check --role target --netns storage"
						: "" });
	}

	/* Until hosts are served, a port that offers nothing is one. */
	snap = clean_target(&c);
	snap->n_listeners = 0;
	EXPECT_FINDING(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, .rule = "T14",
		       .severity = NVME_MPTCP_ERROR);
}

/* Nothing is offered there yet, so that the kernel takes another addr_tsas at once. */
TEST(ports_that_ask_for_tls)
{
	struct check c = {};
	struct nvme_mptcp_snapshot *snap = clean_target(&c);

	c.nvmet.ports[0].secure = true;
	EXPECT_FINDING(&c, snap, NULL, NVME_MPTCP_ROLE_TARGET, .rule = "N08",
		       .severity = NVME_MPTCP_ERROR,
		       .fixes = { "echo none > " NVMET "ports/1/addr_tsas", "" },
		       .side = NVME_MPTCP_ROLE_TARGET);
}

/* What enables a port is a command with a subsystem that this target has. */
TEST(a_port_that_offers_nothing_gets_what_is_there)
{
	struct check c = {};
	struct nvme_mptcp_snapshot *snap = clean_target(&c);

	snap->n_listeners = 0;
	target_clear(&c.nvmet);
	fake_sysfs_begin();
	fake_attr("mptcp\n", "sys/kernel/config/nvmet/ports/7/addr_trtype");
	fake_attr("0.0.0.0\n", "sys/kernel/config/nvmet/ports/7/addr_traddr");
	fake_attr("4420\n", "sys/kernel/config/nvmet/ports/7/addr_trsvcid");
	fake_attr("1\n", "sys/kernel/config/nvmet/subsystems/" FAKE_NQN "/attr_allow_any_host");
	assert_int_equal(target_read(snap, &c.nvmet), 0);
	fake_sysfs_end();
	EXPECT_FINDING(
		&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, .rule = "T14", .severity = NVME_MPTCP_ERROR,
		.why = "Port 7 offers no subsystem, so it is not enabled and refuses hosts",
		.fixes = { "ln -s " NVMET "subsystems/" FAKE_NQN " " NVMET "ports/7/subsystems/" },
		.side = NVME_MPTCP_ROLE_TARGET);
}

/* A target whose only port is one of plain TCP. */
static struct nvme_mptcp_snapshot *plain_target(struct check *c, int offers)
{
	struct nvme_mptcp_snapshot *snap = clean_target(c);

	target_clear(&c->nvmet);
	fake_sysfs_begin();
	fake_attr("tcp\n", "sys/kernel/config/nvmet/ports/7/addr_trtype");
	fake_attr("0.0.0.0\n", "sys/kernel/config/nvmet/ports/7/addr_traddr");
	fake_attr("4420\n", "sys/kernel/config/nvmet/ports/7/addr_trsvcid");
	assert_int_equal(target_read(snap, &c->nvmet), 0);
	fake_sysfs_end();
	kernel.offers = offers;
	return snap;
}

/* To make it a port for MPTCP would take it from its hosts, and the kernel would refuse it. */
TEST(a_kernel_without_such_ports)
{
	static const char *const rules[] = { "K06", "T08" };

	for (int offers = 0; offers < 2; offers++) {
		struct check c = {};

		expect_with(&c, plain_target(&c, offers), NULL, NVME_MPTCP_ROLE_TARGET,
			    rules[offers]);
	}
}

TEST(a_kernel_that_may_be_without_such_ports)
{
	for (int known = 0; known < 2; known++) {
		struct check c = {};

		EXPECT_FINDING(
			&c, plain_target(&c, known ? 1 : NVME_MPTCP_UNKNOWN), NULL,
			NVME_MPTCP_ROLE_TARGET, .rule = "T08", .severity = NVME_MPTCP_WARNING,
			.fixes = { known ? "echo mptcp > " NVMET "ports/7/addr_trtype"
					 : "nvme mptcp setup --role target --relay --apply" });
	}
}

/* insmod nvme-later.ko: the kernel's lists of aliases do not have it. */
TEST(a_module_that_was_inserted_by_hand)
{
	const struct offer host = { "nvme_later", "nvme-later" };
	const struct offer target = { "nvmet_tcp", "nvmet-transport-4" };

	fake_sysfs_begin();
	assert_int_not_equal(ask_is_loaded(&host), 1);
	fake_attr("live", "sys/module/nvme_later/initstate");
	/* A target's module may be the one without MPTCP. */
	fake_attr("live", "sys/module/nvmet_tcp/initstate");
	assert_int_equal(ask_is_loaded(&host), 1);
	assert_int_not_equal(ask_is_loaded(&target), 1);
	fake_sysfs_end();
}
