// SPDX-License-Identifier: LGPL-2.1-or-later
/* What is said of a target's ports, which configfs shows in all network namespaces. */
#include "fake_sysfs.h"
#include "mptcp/check/ask.h"
#include "mptcp_machine.h"

static void enable(struct target_port *port)
{
	*(char **)array_add(&port->subsystems, &port->n_subsystems, sizeof(char *)) = strdup("nqn");
}

/* The host whose target is in another network namespace of this machine, by @role. */
static void expect_beside_target(enum nvme_mptcp_role role, const char *traddr,
				 const char *expected)
{
	struct check c = {}, target = {};
	nvme_mptcp_snapshot_t other = clean_target(&target);

	enable(&target.nvmet.ports[0]);
	c.nvmet = target.nvmet;
	nvme_mptcp_snapshot_free(other);
	expect_with(&c, clean_host(), traddr, role, expected);
}

/* In one command each, or hosts of the second subsystem are told not to try again meanwhile. */
TEST(ports_with_several_subsystems)
{
	static const char *const commands[] = {
		"rm /sys/kernel/config/nvmet/ports/1/subsystems/nqn"
		" '/sys/kernel/config/nvmet/ports/1/subsystems/nqn.x:$(id)'",
		"echo 0.0.0.0 > /sys/kernel/config/nvmet/ports/1/addr_traddr",
		"ln -s /sys/kernel/config/nvmet/subsystems/nqn"
		" '/sys/kernel/config/nvmet/subsystems/nqn.x:$(id)'"
		" /sys/kernel/config/nvmet/ports/1/subsystems/",
	};
	struct check c = {};
	struct nvme_mptcp_snapshot *snap = clean_target(&c);
	nvme_mptcp_findings_t findings;
	enum nvme_mptcp_role side;
	nvme_mptcp_finding_t f;

	snap->listeners[0].local.ip = ip("10.1.2.2");
	c.nvmet.ports[0].address.ip = ip("10.1.2.2");
	enable(&c.nvmet.ports[0]);
	enable(&c.nvmet.ports[0]);
	free(c.nvmet.ports[0].subsystems[1]);
	c.nvmet.ports[0].subsystems[1] = strdup("nqn.x:$(id)");
	findings = run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_TARGET);
	f = first(findings, "T03", NVME_MPTCP_ERROR);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		assert_string_equal(nvme_mptcp_finding_fix(f, i, &side), commands[i]);
	assert_null(nvme_mptcp_finding_fix(f, 3, &side));
	end_rules(&c, findings, snap);
}

TEST(ports_of_other_namespaces)
{
	nvme_mptcp_findings_t findings;
	struct nvme_mptcp_snapshot *snap;
	enum nvme_mptcp_role side;
	nvme_mptcp_finding_t f;
	struct check c = {};

	/* Nobody asks for the target: this namespace has none. */
	expect_beside_target(NVME_MPTCP_ROLE_AUTO, NULL, "");
	expect_beside_target(NVME_MPTCP_ROLE_HOST, NULL, "");
	expect_beside_target(NVME_MPTCP_ROLE_TARGET, NULL, "T02 T02 T14");

	/* Where there is nothing else, it is said where they are, if that can be seen; it is no fault. */
	for (int known = 0; known <= 1; known++) {
		snap = clean_target(&c);
		snap->n_listeners = snap->n_endpoints = 0;
		enable(&c.nvmet.ports[0]);
		kernel.other_netns = known ? "storage" : NULL;
		findings = run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_AUTO);
		f = first(findings, "T14", NVME_MPTCP_INFO);
		assert_string_equal(nvme_mptcp_finding_why(f),
				    known ? "Port 1 is enabled, but listens in network namespace "
					    "storage, not in this one: endpoints and limits here "
					    "do not apply to it"
					  : "Port 1 is enabled, but listens in another network "
					    "namespace, not in this one: endpoints and limits "
					    "here do not apply to it");
		if (known)
			assert_string_equal(nvme_mptcp_finding_fix(f, 0, &side),
					    "nvme mptcp check --role target --netns storage");
		else
			assert_null(nvme_mptcp_finding_fix(f, 0, &side));
		assert_null(nvme_mptcp_finding_next(findings, f));
		end_rules(&c, findings, snap);
	}

	/* Until hosts are served, a port that offers nothing is one. */
	snap = clean_target(&c);
	snap->n_listeners = 0;
	findings = run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_AUTO);
	f = first(findings, "T14", NVME_MPTCP_ERROR);
	end_rules(&c, findings, snap);
}

/* Nothing is offered there yet, so that the kernel takes another addr_tsas at once. */
TEST(ports_that_ask_for_tls)
{
	static const char *const commands[] = {
		"echo none > /sys/kernel/config/nvmet/ports/1/addr_tsas",
	};
	nvme_mptcp_findings_t findings;
	enum nvme_mptcp_role side;
	nvme_mptcp_finding_t f;
	struct check c = {};
	struct nvme_mptcp_snapshot *snap = clean_target(&c);
	const char *command;
	size_t n = 0;

	c.nvmet.ports[0].secure = true;
	findings = run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_TARGET);
	f = first(findings, "N08", NVME_MPTCP_ERROR);
	for (; (command = nvme_mptcp_finding_fix(f, n, &side)); n++) {
		assert_string_equal(command, commands[n]);
		assert_int_equal(side, NVME_MPTCP_ROLE_TARGET);
	}
	assert_int_equal(n, sizeof(commands) / sizeof(*commands));
	end_rules(&c, findings, snap);
}

/* What enables a port is a command with a subsystem that this target has. */
TEST(a_port_that_offers_nothing_gets_what_is_there)
{
	struct check c = {};
	struct nvme_mptcp_snapshot *snap = clean_target(&c);
	nvme_mptcp_findings_t findings;
	enum nvme_mptcp_role side;
	nvme_mptcp_finding_t f;

	snap->n_listeners = 0;
	target_clear(&c.nvmet);
	fake_sysfs_begin();
	fake_attr("mptcp\n", "sys/kernel/config/nvmet/ports/7/addr_trtype");
	fake_attr("0.0.0.0\n", "sys/kernel/config/nvmet/ports/7/addr_traddr");
	fake_attr("4420\n", "sys/kernel/config/nvmet/ports/7/addr_trsvcid");
	fake_attr("1\n", "sys/kernel/config/nvmet/subsystems/" FAKE_NQN "/attr_allow_any_host");
	assert_int_equal(target_read(snap, &c.nvmet), 0);
	fake_sysfs_end();
	findings = run_rules(&c, snap, &ops, NULL, NVME_MPTCP_ROLE_AUTO);
	f = first(findings, "T14", NVME_MPTCP_ERROR);
	assert_string_equal(nvme_mptcp_finding_why(f), "Port 7 offers no subsystem, so it is not "
						       "enabled and refuses hosts");
	assert_non_null(nvme_mptcp_finding_fix(f, 0, &side));
	assert_string_equal(nvme_mptcp_finding_fix(f, 0, &side),
			    "ln -s /sys/kernel/config/nvmet/subsystems/" FAKE_NQN
			    " /sys/kernel/config/nvmet/ports/7/subsystems/");
	assert_int_equal(side, NVME_MPTCP_ROLE_TARGET);
	end_rules(&c, findings, snap);
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
