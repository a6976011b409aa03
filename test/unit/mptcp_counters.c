/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters are found by name, and a file that is none gives none. */
#include "mptcp_messages.h"

/* @group: that of a file with a line for each CPU; NULL: the file names its groups. */
static struct counters parse_of(const char *group, const char *text)
{
	struct counters counters = {};
	char *own = counters.text[0] = strdup(text);

	assert_int_equal(group ? counter_parse_cpus(group, own, &counters)
			       : counter_parse(own, &counters),
			 0);
	counter_sort(&counters);
	return counters;
}

static struct counters parse(const char *text)
{
	return parse_of(NULL, text);
}

TEST(found_by_name)
{
	struct counters counters = parse("TcpExt: SyncookiesSent Other\nTcpExt: 3 4\n"
					 "Tcp: MaxConn RtoMax\nTcp: -1 120000\n"
					 "MPTcpExt: MPJoinSynTx AddAddr Big\n"
					 "MPTcpExt: 1 0 9223372036854775807\n");

	assert_int_equal(counter_get(&counters, "TcpExt", "SyncookiesSent"), 3);
	assert_int_equal(counter_get(&counters, "MPTcpExt", "MPJoinSynTx"), 1);
	assert_int_equal(counter_get(&counters, "MPTcpExt", "AddAddr"), 0);
	assert_int_equal(counter_get(&counters, "MPTcpExt", "Big"), INT64_MAX);
	/* Absent is unknown, and so is what is no count. */
	assert_int_equal(counter_get(&counters, "MPTcpExt", "MPJoinRejected"), NVME_MPTCP_UNKNOWN);
	assert_int_equal(counter_get(&counters, "TcpExt", "AddAddr"), NVME_MPTCP_UNKNOWN);
	assert_int_equal(counter_get(&counters, "Tcp", "MaxConn"), NVME_MPTCP_UNKNOWN);
	counter_clear(&counters);
	assert_int_equal(counter_get(&counters, "Tcp", "RtoMax"), NVME_MPTCP_UNKNOWN);
}

TEST(numbers_of_each_cpu_are_added_up)
{
	struct counters counters = parse_of("conntrack", "entries  found new invalid\n"
							 "00000010  00000001 00000000 0000000a\n"
							 "00000010  00000002 00000000 00000001\n");

	assert_int_equal(counter_get(&counters, "conntrack", "invalid"), 11);
	assert_int_equal(counter_get(&counters, "conntrack", "found"), 3);
	assert_int_equal(counter_get(&counters, "conntrack", "drop"), NVME_MPTCP_UNKNOWN);
	counter_clear(&counters);
	/* A short line, one that is too long, and what is no number. */
	counters = parse_of("conntrack", "entries found\n1\n1 2 3 4\nx 1\n");
	assert_int_equal(counter_get(&counters, "conntrack", "entries"), 2);
	assert_int_equal(counter_get(&counters, "conntrack", "found"), 3);
	counter_clear(&counters);
	counters = parse_of("conntrack", "");
	assert_int_equal(counters.n, 0);
	counter_clear(&counters);
}

TEST(malformed_lines_are_left_out)
{
	static const char *const texts[] = {
		"",
		"\n\n\n",
		":\n:\n",
		"A",
		"A:\nA:\n",
		"A: x\n",
		"A: x\nB: 1\n",
		"A x\nA 1\n",
		"A: x y\nA: z 1e3\n",
		"A: x\nA: 99999999999999999999\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct counters counters = parse(texts[i]);

		assert_int_equal(counters.n, 0);
		counter_clear(&counters);
	}
}

TEST(fewer_values_than_names)
{
	struct counters counters = parse("A: x y z\nA: 1 2\nB: v\nB: 1 2 3\n");

	assert_int_equal(counters.n, 3);
	assert_int_equal(counter_get(&counters, "A", "y"), 2);
	assert_int_equal(counter_get(&counters, "A", "z"), NVME_MPTCP_UNKNOWN);
	assert_int_equal(counter_get(&counters, "B", "v"), 1);
	counter_clear(&counters);
}

TEST(those_of_this_kernel)
{
	struct counters counters = {};

	assert_int_equal(counter_load(&counters), 0);
	assert_true(counter_get(&counters, "Ip", "InReceives") >= 0);
	counter_clear(&counters);
}
