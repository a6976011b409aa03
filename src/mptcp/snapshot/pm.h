/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The in-kernel path manager over generic netlink. */
#pragma once

#include "mptcp/netlink/nl.h"

struct genl_family {
	uint16_t id;
	uint32_t events; /* multicast group of path manager events, 0: none */
};

/* Open @nl and find the family. Return 0, -EOPNOTSUPP without a path manager, or another -errno. */
int pm_open(struct nl *nl, struct genl_family *ret);

/* Parse the answer of the generic netlink controller to a family name. */
int pm_parse_family(const struct nlmsghdr *nlh, struct genl_family *ret);

struct pm_limits {
	int64_t subflows;
	int64_t add_addr_accepted;
};

int pm_parse_limits(const struct nlmsghdr *nlh, struct pm_limits *ret);
