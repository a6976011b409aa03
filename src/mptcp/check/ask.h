/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers of the running kernel to the queries of rules. */
#pragma once

#include <linux/if_packet.h>

#include "rules.h"

extern const struct check_ops ask_kernel_ops;

/* Return the last number in a file below /proc/sys/, or NVME_MPTCP_UNKNOWN. */
int64_t ask_setting(struct check *c, const char *path);

/* Read the kernel's entry of a neighbour. Returns 0 or -errno. */
int ask_entry(struct check *c, int ifindex, const struct in6_addr *ip, struct neighbour *ret);

struct ifaddrs;
bool ask_is_own_hardware(const struct ifaddrs *own, const uint8_t *hardware);

/* Open an ARP socket on a link and return the link's hardware address in *@ret. Returns -1 on failure. */
int ask_open_arp(int ifindex, struct sockaddr_ll *ret);

/* See struct check_ops. */
/* ask_owners() of IPv6 addresses; the others are skipped. @own: addresses of this host. */
void ask_owners6(const struct ifaddrs *own, struct owner *all, size_t n);
int ask_echo_on_link(struct check *c, const struct path_ends *ends);
int ask_machines(struct check *c, int ifindex, struct hardware ret[static MACHINES]);
bool ask_marked_route(struct check *c, const struct path_ends *ends, size_t i,
		      struct marked_route *ret);
bool ask_forbids(struct check *c, const struct path_ends *ends, char *text, size_t size);
enum steered ask_steered(const struct nvme_mptcp_ctrl *ctrl);
void ask_owners(struct check *c, struct owner *all, size_t n);
int ask_filters(struct check *c);
int ask_ipsec(struct check *c, const struct in6_addr *ip, struct ipsec *ret);
bool ask_same_broadcast_domain(struct check *c, int one, int other, const struct in6_addr *local,
			       const struct in6_addr *remote);

/* True if a line of modules.alias, or of kallsyms, shows the offer. @arg: a struct offer. */
bool ask_is_alias(const char *line, const void *arg);
bool ask_is_function(const char *line, const void *arg);

/* Return 1 if a loaded module in no list provides the offer, 0 if not, or NVME_MPTCP_UNKNOWN. */
int ask_is_loaded(const struct offer *offer);
