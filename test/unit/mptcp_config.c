// SPDX-License-Identifier: LGPL-2.1-or-later
/* The objects "mptcp" of configurations: what is right in them, whose they are, what is refused and where. */
#include <nvme/mptcp.h>

#include "config_file.h"

#define HOST(members) "[{\"hostnqn\":\"nqn.h\"," members "}]"
#define ENDPOINT(members) HOST("\"mptcp\":{\"endpoints\":[{" members "}]}")
#define IN_MPTCP ":1: $[0].mptcp"
#define IN_ENDPOINT IN_MPTCP ".endpoints[0]"
#define ID(digit) "0000000" digit "-0000-0000-0000-000000000000"

static nvme_mptcp_config_t config;

static int begin(void **state)
{
	make_file();
	config = nvme_mptcp_config_new();
	return config ? 0 : -1;
}

static int end(void **state)
{
	nvme_mptcp_config_free(config);
	return unlink(path);
}

static int read_text(const char *text)
{
	write_text(text, strlen(text));
	return nvme_mptcp_config_read(config, path);
}

static void take(const char *text)
{
	if (read_text(text))
		fail_msg("%s", nvme_mptcp_config_error(config));
	assert_null(nvme_mptcp_config_error(config));
}

TEST(mistakes_are_refused_with_their_place)
{
	static const struct {
		const char *text, *reason; /* what follows the name of the file */
	} rows[] = {
		{ "[{\"mptcp\":{}}]", IN_MPTCP ": the host has no \"hostnqn\"" },
		{ "{\"hosts\":[{\"hostnqn\":\"nqn.h\",\n\"mptcp\":5}]}",
		  ":2: $.hosts[0].mptcp: must be an object" },
		{ HOST("\"mptcp\":null"), IN_MPTCP ": must be an object" },
		{ "[5,", ":1: $[1]: expected a value, but the file ends" },
		{ HOST("\"mptcp\":[]"), IN_MPTCP ": must be an object" },
		{ HOST("\"mptcp\":{\"x\":1}"),
		  IN_MPTCP ".x: unknown key; valid keys are limits, endpoints, ignore, relay" },
		{ HOST("\"mptcp\":{\"ignore\":\"H14\"}"), IN_MPTCP ".ignore: must be an array" },
		{ HOST("\"mptcp\":{\"ignore\":[\"H14\",\"H99\"]}"),
		  IN_MPTCP ".ignore[1]: unknown rule; nvme mptcp explain lists them" },
		{ HOST("\"mptcp\":{\"limits\":{\"subflows\":256}}"),
		  IN_MPTCP ".limits.subflows: must be a whole number from 0 to 255" },
		{ ENDPOINT("\"address\":\"192.0.2.1\",\"port\":1"),
		  IN_ENDPOINT ": \"port\" requires the flag signal, since it is announced" },
		{ ENDPOINT("\"address\":\"192.0.2.1\",\"flags\":[\"fullmesh\",\"signal\"]"),
		  IN_ENDPOINT ": flags signal and fullmesh exclude each other" },
		{ HOST("\"mptcp\":{\"limits\":{\"endpoints\":1}}"), IN_MPTCP
		  ".limits.endpoints: unknown key; valid keys are subflows, add_addr_accepted" },
		{ ENDPOINT(""), IN_ENDPOINT ": \"address\" is missing" },
		{ ENDPOINT("\"address\":\"host\""), IN_ENDPOINT ".address: must be an IP address" },
		{ ENDPOINT("\"address\":\"fe80::2%\""),
		  IN_ENDPOINT ".address: must be an IP address" },
		{ ENDPOINT("\"address\":\"192.0.2.1%eth0\""),
		  IN_ENDPOINT ".address: must be an IP address" },
		{ ENDPOINT("\"address\":\"0.0.0.0\""),
		  IN_ENDPOINT ".address: must be an address that a network interface can have" },
		{ ENDPOINT("\"address\":\"ff02::1\""),
		  IN_ENDPOINT ".address: must be an address that a network interface can have" },
		{ ENDPOINT("\"address\":\"192.0.2.1\",\"dev\":5"),
		  IN_ENDPOINT ".dev: must be the name of a network interface" },
		{ ENDPOINT("\"address\":\"192.0.2.1\",\"flags\":[\"subflow\",\n\"implicit\"]"),
		  ":2: $[0].mptcp.endpoints[0].flags[1]: unknown flag; use signal, subflow, "
		  "backup, fullmesh or laminar" },
		{ ENDPOINT("\"address\":\"192.0.2.1\",\"id\":0"),
		  IN_ENDPOINT ".id: must be a whole number from 1 to 255" },
	};

	take(HOST("\"mptcp\":{\"ignore\":[\"H14\"]}"));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char want[512];

		ASSERT_FAILS(read_text(rows[i].text), EPROTO);
		snprintf(want, sizeof(want), "%s%s", path, rows[i].reason);
		assert_string_equal(nvme_mptcp_config_error(config), want);
		/* What was there before still is. */
		assert_string_equal(nvme_mptcp_config_ignored(config, 0), "H14");
	}
}

TEST(what_is_not_ours_is_passed_over)
{
	take(HOST("\"subsystems\":5"));
	take("{\"hosts\":[5,null,{\"hostnqn\":5}]}");
	take("\"x\"");
	assert_false(nvme_mptcp_config_wants(config, NULL, NULL));
	assert_null(nvme_mptcp_config_ignored(config, 0));
}

TEST(unreadable_file)
{
	ASSERT_FAILS(nvme_mptcp_config_read(config, "/nonexistent"), ENOENT);
	assert_null(nvme_mptcp_config_error(config));
}

/* A zone is of the network namespace that the object is applied to. */
TEST(unknown_zone)
{
	take(HOST("\"mptcp\":{\"endpoints\":[{\"address\":\"fe80::2%nosuch0\"}]}"));
}

TEST(wishes_are_those_of_the_host_that_is_meant)
{
	take("[{\"hostnqn\":\"nqn.a\",\"mptcp\":{\"endpoints\":[]}},"
	     "{\"hostnqn\":\"nqn.b\",\"hostid\":\"" ID(
		     "1") "\",\"mptcp\":{\"limits\":{}}},"
			  "{\"hostnqn\":\"nqn.c\",\"mptcp\":{\"ignore\":[\"H14\"]}},"
			  "{\"hostnqn\":\"nqn.d\",\"mptcp\":{}}]");
	assert_true(nvme_mptcp_config_wants(config, NULL, NULL));
	assert_true(nvme_mptcp_config_wants(config, "nqn.a", NULL));
	assert_true(nvme_mptcp_config_wants(config, "nqn.a", ID("2")));
	assert_true(nvme_mptcp_config_wants(config, "nqn.b", ID("1")));
	assert_false(nvme_mptcp_config_wants(config, "nqn.b", ID("2")));
	assert_false(nvme_mptcp_config_wants(config, "nqn.c", NULL));
	assert_false(nvme_mptcp_config_wants(config, "nqn.d", NULL));
	assert_false(nvme_mptcp_config_wants(config, "nqn.e", NULL));
}

/* As libnvme has it: of one host, what was read last counts. */
TEST(later_file_replaces_the_object_of_its_host)
{
	take("[{\"hostnqn\":\"nqn.a\",\"mptcp\":{\"ignore\":[\"H14\",\"H16\"]}},"
	     "{\"hostnqn\":\"nqn.b\",\"mptcp\":{\"ignore\":[\"K01\"]}}]");
	take("[{\"hostnqn\":\"nqn.a\",\"mptcp\":{\"ignore\":[\"K02\"]}},"
	     "{\"hostnqn\":\"nqn.b\",\"hostid\":\"" ID("1") "\",\"mptcp\":{\"ignore\":["
							    "\"K03\"]}}]");
	assert_string_equal(nvme_mptcp_config_ignored(config, 0), "K02");
	assert_string_equal(nvme_mptcp_config_ignored(config, 1), "K01");
	assert_string_equal(nvme_mptcp_config_ignored(config, 2), "K03");
	assert_null(nvme_mptcp_config_ignored(config, 3));
}

TEST(links_of_all_relays_are_listed)
{
	take("[{\"hostnqn\":\"nqn.a\",\"mptcp\":{\"relay\":{\"portals\":\"auto\",\"links\":["
	     "\"eth1\",\"eth2\"]}}},"
	     "{\"hostnqn\":\"nqn.b\",\"mptcp\":{\"relay\":{\"ports\":[4420]}}},"
	     "{\"hostnqn\":\"nqn.c\",\"mptcp\":{\"ignore\":[\"H14\"]}},"
	     "{\"hostnqn\":\"nqn.d\",\"mptcp\":{\"relay\":{\"links\":[\"eth3\"]}}}]");
	assert_string_equal(nvme_mptcp_config_relay_link(config, 0), "eth1");
	assert_string_equal(nvme_mptcp_config_relay_link(config, 1), "eth2");
	assert_string_equal(nvme_mptcp_config_relay_link(config, 2), "eth3");
	assert_null(nvme_mptcp_config_relay_link(config, 3));
}

EACH_TEST(begin, end)
