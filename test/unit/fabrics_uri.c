/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* URIs: the parts that come out, and what is no URI. */
#include <nvme/fabrics.h>

#include "unit.h"

static void assert_part(const char *part, const char *wanted)
{
	if (wanted)
		assert_string_equal(part ? part : "(none)", wanted);
	else
		assert_null(part);
}

static const struct {
	const char *uri, *scheme, *protocol, *userinfo, *host;
	int port;
	const char *first, *second, *query, *fragment; /* the first two are the path */
} good[] = {
	{ "nvme://host", "nvme", NULL, NULL, "host" },
	{ "nvme+tcp://host", "nvme", "tcp", NULL, "host" },
	{ "nvme+mptcp://10.1.1.1:8009/", "nvme", "mptcp", NULL, "10.1.1.1", 8009 },
	{ "nvme+tcp://[fd00::1]:4420/nqn.test", "nvme", "tcp", NULL, "fd00::1", 4420, "nqn.test" },
	{ "nvme://[fe80::1%25eth0]", "nvme", NULL, NULL, "fe80::1%eth0" },
	{ "nvme://user:pa%73s@host:1//a///b%2fc/?q=1&r=2?#frag#ment", "nvme", NULL, "user:pass",
	  "host", 1, "a", "b/c", "q=1&r=2?", "frag#ment" },
	{ "nvme://host?query", "nvme", NULL, NULL, "host", 0, NULL, NULL, "query" },
	{ "nvme://host#frag", "nvme", NULL, NULL, "host", 0, NULL, NULL, NULL, "frag" },
	{ "a://u@v@h:65535/%41", "a", NULL, "u@v", "h", 65535, "A" },
};

TEST(test_good)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const char *const path[] = { good[i].first, good[i].second, NULL };
		struct nvme_fabrics_uri *uri = nvme_parse_uri(good[i].uri);
		size_t n = 0;

		assert_non_null(uri);
		assert_part(uri->scheme, good[i].scheme);
		assert_part(uri->protocol, good[i].protocol);
		assert_part(uri->userinfo, good[i].userinfo);
		assert_part(uri->host, good[i].host);
		assert_int_equal(uri->port, good[i].port);
		assert_part(uri->query, good[i].query);
		assert_part(uri->fragment, good[i].fragment);
		for (; path[n]; n++)
			assert_part(uri->path_segments[n], path[n]);
		if (n)
			assert_null(uri->path_segments[n]);
		else
			assert_null(uri->path_segments);
		nvme_free_uri(uri);
	}
}

TEST(test_bad)
{
	static const char *const bad[] = {
		"",
		"nvme",
		"nvme:host",
		"://host",
		"nvme+://host",
		"+tcp://host",
		"nv me://host",
		"nvme://",
		"nvme://:4420",
		"nvme://user@",
		"nvme://host:",
		"nvme://host:65536",
		"nvme://host:-1",
		"nvme://host:4420x",
		"nvme://host:99999999999999999999",
		"nvme://[fd00::1",
		"nvme://[fd00::1]x",
		"nvme://[]",
		"nvme://host/%",
		"nvme://host/%4",
		"nvme://host/%zz",
		"nvme://host/a%00b",
		"nvme://ho%00st",
		"nvme://host?%f",
		"nvme://host#%",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ASSERT_NONE(nvme_parse_uri(bad[i]), EINVAL);
	}
	assert_null(nvme_parse_uri(NULL));
	nvme_free_uri(NULL);
}
