// SPDX-License-Identifier: LGPL-2.1-or-later
/* Routing tables as the kernel dumps them, searched for the way to an address. */
#include <errno.h>

#include "mptcp/snapshot/routes.h"
#include "mptcp_messages.h"
#include "mptcp_standin.h"

static struct in6_addr v4(const char *text)
{
	struct in6_addr ip = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

	assert_int_equal(inet_pton(AF_INET, text, &ip.s6_addr[12]), 1);
	return ip;
}

/* It goes to every address of IPv4, and to none of IPv6. */
TEST(a_default_route_has_no_destination)
{
	static const char *const everywhere[] = { "192.0.2.1", "0.0.0.1", "255.255.255.254" };
	struct in6_addr gateway = v4("10.1.2.1"), v6;
	struct route_answer answer = {};
	struct routes routes;

	assert_int_equal(route_dump(&routes), 0);
	assert_int_equal(routes.problem.err, 0);
	assert_int_equal(routes.n_routes, 1);
	assert_int_equal(routes.n_policies, 1);
	for (size_t i = 0; i < sizeof(everywhere) / sizeof(*everywhere); i++) {
		const struct in6_addr dst = v4(everywhere[i]);

		assert_int_equal(route_find(&routes, NULL, 0, NULL, &dst, &answer), 0);
		assert_int_equal(answer.ifindex, STANDIN_LINKS);
		assert_true(answer.is_default);
		assert_true(answer.gateway);
		assert_memory_equal(&answer.hop, &gateway, sizeof(gateway));
	}
	assert_int_equal(inet_pton(AF_INET6, "fd00::1", &v6), 1);
	assert_int_equal(route_find(&routes, NULL, 0, NULL, &v6, &answer), -ENETUNREACH);
	route_clear(&routes);
}
