/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Portals of a relay, the addresses that stand for them, and the rules that follow from them. */
#include <stdbool.h>

#include <nvme/mptcp.h>

#include "unit.h"
#include "mptcp/relay/steering.h"
#include "mptcp/netlink/relay-ask.h"

TEST(portals_are_read)
{
	static const char *const good[][2] = {
		{ "192.0.2.1", "192.0.2.1:4420" },
		{ "192.0.2.1:1", "192.0.2.1:1" },
		{ "192.0.2.1:65535", "192.0.2.1:65535" },
		{ "2001:db8::1", "[2001:db8::1]:4420" },
		{ "[2001:db8::1]", "[2001:db8::1]:4420" },
		{ "[2001:db8::1]:8009", "[2001:db8::1]:8009" },
		{ "::ffff:192.0.2.1", "192.0.2.1:4420" },
		{ "fe80::1%eth1", "[fe80::1]:4420" },
		{ "[fe80::1%eth1]", "[fe80::1]:4420" },
		{ "[fe80::1%eth1]:8009", "[fe80::1]:8009" },
		{ "192.0.2.1%eth1:8009", "192.0.2.1:8009" },
	};
	static const char *const bad[] = {
		"",	      ":4420",		"192.0.2.1:",	     "192.0.2.1:0",
		"192.0.2",    "192.0.2.1:-1",	"192.0.2.1:+1",	     "192.0.2.1:0x10",
		"target",     "192.0.2.1:1 ",	"192.0.2.1:65536",   "[2001:db8::1]4420",
		"[192.0.2.1", "[2001:db8::1]:", "2001:db8::1]:4420", "192.0.2.1:4420:1",
	};
	struct socket_address at;
	char text[ADDRESS_TEXT];

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(relay_parse_portal(good[i][0], &at), 0);
		address_port_text(&at, text);
		assert_string_equal(text, good[i][1]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		int err = relay_parse_portal(bad[i], &at);

		if (err != -EINVAL)
			print_error("\"%s\"\n", bad[i]);
		assert_int_equal(err, -EINVAL);
		assert_non_null(strstr(nvme_mptcp_error(EINVAL), "not an address and port"));
	}
}

TEST(redirections_have_a_port)
{
	assert_int_equal(relay_redirect_port(4420), 14420);
	assert_int_equal(relay_redirect_port(55535), 65535);
	assert_int_equal(relay_redirect_port(55536), 45536);
	assert_int_equal(relay_redirect_port(65535), 55535);
}

static int parse_answer(const char *text, struct nvme_mptcp_relay_status **ret)
{
	*ret = calloc(1, sizeof(**ret));
	assert_non_null(*ret);
	return relay_ask_parse(text, strlen(text), *ret);
}

TEST(answers_are_read)
{
	struct nvme_mptcp_relay_status *status;
	static const char *const bad[] = {
		"",
		"relay 2\n",
		"relay 1\nconnection 1\n",
		"relay 1\ntakes 0\n",
		"relay 1\nportal 192.0.2.1:4420 192.0.2.2:1 -1\n",
		"relay 1\nportal 192.0.2.1:4420 192.0.2.2:1 0",
	};

	assert_int_equal(
		parse_answer("relay 1\n"
			     "connection 3 192.0.2.1:4420 192.0.2.2:40000 host open fallback "
			     "4294967295 1 18446744073709551615 5 77 65535 nqn.2026-01.org:a\n"
			     "connection 4 192.0.2.1:4420 192.0.2.2:40001 target open mptcp "
			     "1 1 0 0 78 -1 -\n"
			     "portal 192.0.2.4:4420 - 0 127.0.2.4:4420\n"
			     "takes 8009\n"
			     "later 1 2 3\n"
			     "portal 192.0.2.1:4420 192.0.2.2:40000 111\n"
			     "portal 192.0.2.3:4420 - 0 steered\n",
			     &status),
		0);
	assert_int_equal(status->n_connections, 2);
	assert_int_equal(status->connections[0].inode, 77);
	assert_int_equal(status->connections[0].cntlid, 65535);
	assert_string_equal(status->connections[0].subsysnqn, "nqn.2026-01.org:a");
	assert_int_equal(status->connections[1].cntlid, -1);
	assert_string_equal(status->connections[1].subsysnqn, "");
	assert_int_equal(status->n_ports, 1);
	assert_int_equal(status->ports[0], 8009);
	assert_string_equal(status->connections[0].portal, "192.0.2.1:4420");
	assert_string_equal(status->connections[0].peer, "192.0.2.2:40000");
	assert_int_equal(status->connections[0].token, UINT32_MAX);
	assert_int_equal(status->connections[0].to_mptcp, UINT64_MAX);
	assert_true(status->connections[0].is_open && status->connections[0].is_fallback);
	assert_false(status->connections[0].is_target);
	assert_int_equal(status->n_results, 3);
	assert_string_equal(status->results[0].at, "127.0.2.4:4420");
	assert_false(status->results[0].is_steered);
	assert_int_equal(status->results[1].err, 111);
	assert_string_equal(status->results[1].at, "");
	assert_true(status->results[2].is_steered);
	assert_string_equal(status->results[2].at, "192.0.2.3:4420");
	assert_string_equal(status->results[2].peer, "");
	nvme_mptcp_relay_status_free(status);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(parse_answer(bad[i], &status), -EBADMSG);
		nvme_mptcp_relay_status_free(status);
	}
}

TEST(nothing_is_nothing)
{
	const struct nvme_mptcp_relay_args args = { .args_size = sizeof(args) };
	nvme_mptcp_relay_t relay = NULL;

	ASSERT_FAILS(nvme_mptcp_relay_new(&args, &relay), ENODATA);
	assert_null(relay);
	nvme_mptcp_relay_free(NULL);
}
