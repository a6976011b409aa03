/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IP addresses as text: parsing, comparing, resolving. */
#ifndef NVME_ADDR_H
#define NVME_ADDR_H

#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A parsed address. IPv4 is kept as v4-mapped IPv6, so that all spellings of one address are equal
 * bytes. The zone of an IPv6 address ("%eth0", "%3") is an interface index, 0 if there is none.
 */
struct ip_addr {
	struct in6_addr in6;
	uint32_t scope;
};

/*
 * Parses "192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1", "fe80::1%eth0", "[2001:db8::1]".
 * 0; -EINVAL if @s is not an address; -ENODEV if its zone names no interface.
 */
int ip_parse(const char *s, struct ip_addr *ret);

bool ip_is_v4(const struct ip_addr *addr);

/* Zones are compared only where both have one. */
bool ip_eq(const struct ip_addr *a, const struct ip_addr *b);

/* The address of @sa, or false if it is not IP. */
bool ip_from_sockaddr(const struct sockaddr *sa, struct ip_addr *ret);

/* Does @s look like a host name to be resolved: not empty and not an IP address? */
bool addr_is_hostname(const char *s);

/*
 * Resolves host name or address @name to text without port; zones of link-local addresses are
 * kept. 0 and a string to free; -EINVAL on an empty name; -ENOMEM; -EAGAIN if the name server does
 * not answer; -ENOENT if the name has no address. *@reason is a static sentence on failure.
 */
int addr_resolve(const char *name, char **ret, const char **reason);

/* Name of the first interface of @list that owns @addr, or NULL. It lives as long as @list. */
const char *iface_by_addr(const struct ifaddrs *list, const struct ip_addr *addr);

/* Is @addr the first address of its family on @iface? */
bool iface_primary_is(const struct ifaddrs *list, const char *iface, const struct ip_addr *addr);

#endif /* NVME_ADDR_H */
