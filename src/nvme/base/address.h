/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * IP addresses and prefixes: parsing, comparing, formatting, resolving. IPv4 is stored as v4-mapped
 * IPv6 everywhere, so that all notations of one address have equal bytes.
 */
#pragma once

#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include "shared/std.h"

/* An address with its zone ("%eth0", "%3") as an interface index, or 0 without a zone. */
struct ip_addr {
	struct in6_addr in6;
	uint32_t scope;
};

/* An address and a port in host byte order. */
struct socket_address {
	struct in6_addr ip;
	uint16_t port;
};

/* A prefix. An IPv4 prefix length is stored plus 96. */
struct prefix {
	struct in6_addr ip;
	uint8_t length;
};

/* Size of a buffer for "[" address "]:" port or an address alone. */
#define ADDRESS_TEXT (INET6_ADDRSTRLEN + 10)

/*
 * Parse "192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1", "fe80::1%eth0", "[2001:db8::1]". Return 0;
 * -EINVAL if @s is not an address; -ENODEV if the calling thread's network namespace has no
 * interface that the zone names.
 */
int address_parse(const char *s, struct ip_addr *ret);

/*
 * Like address_parse(), but ignore the zone: an address from a controller, a port or a file may
 * refer to an interface in another network namespace. Return 0 or -EINVAL.
 */
int address_parse_ip(const char *s, struct in6_addr *ret);

/* Store the address of @sa. False if it is not IP. */
bool address_from_sockaddr(const struct sockaddr *sa, struct ip_addr *ret);

/* Store the socket address of @family, which for IPv4 may be either one. Return its size. */
socklen_t address_to_sockaddr(int family, const struct ip_addr *ip, uint16_t port,
			      struct sockaddr_storage *ret);

/* True if the addresses are equal. Zones are compared only if both have one. */
bool address_matches(const struct ip_addr *a, const struct ip_addr *b);

bool address_is_v4(const struct in6_addr *ip);
bool address_is_loopback(const struct in6_addr *ip);
/* True if the address is valid on one link only: fe80::/10, and 169.254.0.0/16 of RFC 3927. */
bool address_is_link_local(const struct in6_addr *ip);

/* True for RFC 1918, RFC 6598, RFC 3927, RFC 4193 and loopback: not globally reachable. */
bool address_is_private(const struct in6_addr *ip);

bool address_equal(const struct in6_addr *a, const struct in6_addr *b);
bool address_same_family(const struct in6_addr *a, const struct in6_addr *b);
bool address_port_equal(const struct socket_address *a, const struct socket_address *b);

/* Order by address, then by port, for qsort(3). */
int address_port_compare(const struct socket_address *a, const struct socket_address *b);

/* True if a socket bound to @bound receives packets to @ip. */
bool address_covers(const struct in6_addr *bound, const struct in6_addr *ip);

bool prefix_has(const struct prefix *prefix, const struct in6_addr *ip);

/* Format "192.0.2.1"; with a port, "192.0.2.1:4420" or "[2001:db8::1]:4420". Return @text. */
const char *address_text(const struct in6_addr *ip, char text[static ADDRESS_TEXT]);
const char *address_port_text(const struct socket_address *address, char text[static ADDRESS_TEXT]);

/* The same, valid until the end of the block. */
#define ADDRESS_STRING(ip) address_text((ip), (char[ADDRESS_TEXT]){ 0 })
#define ADDRESS_PORT_STRING(address) address_port_text((address), (char[ADDRESS_TEXT]){ 0 })

/* True if @s may be a host name: not empty and not an IP address. */
bool address_is_hostname(const char *s);

/*
 * Resolve host name or address @name to text without a port, keeping zones of link-local addresses.
 * Return 0 and a string to free; -EINVAL on an empty name; -ENOMEM; -EAGAIN if the name server does
 * not answer; -ENOENT if the name has no address. On failure *@reason is a static sentence.
 */
int address_resolve(const char *name, char **ret, const char **reason);

/* Return the name of the first interface in @list that has @addr, owned by @list, or NULL. */
const char *address_interface(const struct ifaddrs *list, const struct ip_addr *addr);

/* True if @addr is the first address of its family on @iface. */
bool address_is_primary(const struct ifaddrs *list, const char *iface, const struct ip_addr *addr);

/* Parts of the attribute "address" of a fabrics controller: owned strings, or NULL. */
struct address_parts {
	char *traddr, *trsvcid, *host_traddr, *host_iface;
};

/* Parse the attribute; @text may be NULL or empty. Return 0 or -ENOMEM. */
int address_parts_parse(const char *text, struct address_parts *ret);
void address_parts_free(struct address_parts *parts);
/* Return the value of @key ("src_addr") in the attribute, of *@len bytes; NULL if missing. */
const char *address_value(const char *text, const char *key, size_t *len);
