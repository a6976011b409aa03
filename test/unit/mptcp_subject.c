// SPDX-License-Identifier: LGPL-2.1-or-later
/* What findings are about: the text and the objects of each kind. */
#include "mptcp/check/rules.h"
#include "mptcp_messages.h"

TEST(each_subject_has_its_text_and_objects)
{
	const struct in6_addr here = ip("10.1.2.2"), there = ip("10.1.1.1");
	const struct {
		struct subject subject;
		const char *kind, *text, *first, *second, *sentence;
	} cases[] = {
		{ subject_all(NVME_MPTCP_SUBJECT_KERNEL), "kernel", "kernel" },
		{ subject_kernel("SYN cookies"), "kernel", "SYN cookies", "SYN cookies" },
		{ subject_module("tcp_diag"), "module", "tcp_diag", "tcp_diag" },
		{ subject_part("limits"), "part", "limits", "limits" },
		{ subject_service("mptcpd"), "service", "mptcpd", "mptcpd", NULL, "mptcpd" },
		{ subject_setting("net.mptcp.enabled"), "setting", "net.mptcp.enabled",
		  "net.mptcp.enabled" },
		{ subject_limit(LIMIT_SUBFLOWS), "limit", "limit of subflows", "subflows" },
		{ subject_limit(LIMIT_ADD_ADDR_ACCEPTED), "limit", "limit of announced addresses",
		  "add_addr_accepted" },
		{ subject_all(NVME_MPTCP_SUBJECT_ENDPOINT), "endpoint", "endpoints" },
		{ subject_endpoint(3, "192.0.2.1"), "endpoint", "endpoint 3 (192.0.2.1)", "3",
		  "192.0.2.1", "Endpoint 3 (192.0.2.1)" },
		{ subject_link("h2"), "link", "h2", "h2", NULL, "Link h2" },
		{ subject_links("h2", "h3"), "link", "h2 and h3", "h2", "h3" },
		{ subject_network("h2", "t2"), "network", "h2 of the host, t2 of the target", "h2",
		  "t2" },
		{ subject_address(&here), "address", "10.1.2.2", "10.1.2.2" },
		{ subject_portal("10.1.1.1:4420"), "portal", "10.1.1.1:4420", "10.1.1.1:4420" },
		{ subject_path(&here, &there), "path", "10.1.2.2 -> 10.1.1.1", "10.1.2.2",
		  "10.1.1.1", "The join from 10.1.2.2 to 10.1.1.1" },
		{ subject_ctrl("nvme1"), "controller", "nvme1", "nvme1", NULL, "Controller nvme1" },
		{ subject_ctrls("nvme1", 2), "controller", "nvme1 and 2 more", "nvme1" },
		{ subject_subsystem("nqn.a"), "subsystem", "nqn.a", "nqn.a", NULL,
		  "Subsystem nqn.a" },
		{ subject_connections(1), "connection", "1 connection" },
		{ subject_connections(2), "connection", "2 connections" },
		{ subject_all(NVME_MPTCP_SUBJECT_CONNECTION), "connection", "connections" },
		{ subject_all(NVME_MPTCP_SUBJECT_SUBFLOW), "subflow", "subflows" },
		{ subject_all(NVME_MPTCP_SUBJECT_JOIN), "join", "joins" },
		{ subject_all(NVME_MPTCP_SUBJECT_ANNOUNCEMENT), "announcement",
		  "announced addresses" },
		{ subject_packet("SYN"), "packet", "SYN", "SYN" },
		{ subject_port("1"), "port", "port 1", "1", NULL, "Port 1" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *const expected[SUBJECT_OBJECTS] = { cases[i].first, cases[i].second };
		char *object[SUBJECT_OBJECTS], *text, *sentence = NULL;

		assert_int_equal(subject_write(&cases[i].subject, object, &text), 0);
		assert_string_equal(text, cases[i].text);
		assert_string_equal(nvme_mptcp_subject_name(cases[i].subject.kind), cases[i].kind);
		if (cases[i].sentence) {
			sentence = subject_begin_sentence(&cases[i].subject, object);
			assert_string_equal(sentence, cases[i].sentence);
		}
		free(sentence);
		for (size_t j = 0; j < SUBJECT_OBJECTS; j++) {
			if (expected[j])
				assert_string_equal(object[j], expected[j]);
			else
				assert_null(object[j]);
			free(object[j]);
		}
		free(text);
	}
}

TEST(a_path_is_known_by_both_addresses)
{
	const struct in6_addr here = ip("10.1.2.2"), there = ip("10.1.1.1");
	const struct subject path = subject_path(&here, &there), other = subject_address(&here);

	assert_true(subject_is_path(&path, &here, &there));
	assert_false(subject_is_path(&path, &there, &here));
	assert_false(subject_is_path(&path, &here, &here));
	assert_false(subject_is_path(&other, &here, &there));
}

TEST(there_is_no_other_kind)
{
	assert_string_equal(nvme_mptcp_subject_name(NVME_MPTCP_SUBJECT_PORT + 1), "unknown");
	assert_string_equal(nvme_mptcp_subject_name((enum nvme_mptcp_subject) - 1), "unknown");
}
