/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The answers of the running kernel to what rules ask. */
#ifndef NVME_MPTCP_ASK_H
#define NVME_MPTCP_ASK_H

#include <linux/if_packet.h>

#include "rules.h"

extern const struct check_ops ask_kernel_ops;

/* The number below /proc/sys/, the last one where there are several, or NVME_MPTCP_UNKNOWN. */
int64_t ask_setting(struct check *c, const char *path);

/* The kernel's entry of a neighbour: 0 or -errno. */
int ask_entry(struct check *c, int ifindex, const struct in6_addr *ip, struct neighbour *ret);

/* A socket for ARP on a link, and the link's hardware address; -1: there is none. */
int ask_open_arp(int ifindex, struct sockaddr_ll *ret);

/* See check_ops. */
void ask_owners(struct check *c, struct owner *all, size_t n);
bool ask_one_wire(struct check *c, int one, int other, const struct in6_addr *local,
		  const struct in6_addr *remote);

/* Does this line of the kernel's lists show what is offered? @arg: a struct offer */
bool ask_is_alias(const char *line, const void *arg);
bool ask_is_function(const char *line, const void *arg);

/* Does a module that was loaded from elsewhere than the kernel's own directory? 1, 0 or NVME_MPTCP_UNKNOWN. */
int ask_is_loaded(const struct offer *offer);

#endif /* NVME_MPTCP_ASK_H */
