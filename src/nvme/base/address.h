/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * IP addresses and prefixes: reading, comparing, writing, resolving. IPv4 is kept as v4-mapped IPv6
 * everywhere, so that all spellings of one address are equal bytes.
 */
#pragma once

#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* An address as it is given. Its zone ("%eth0", "%3") is an interface index, 0 if there is none. */
struct ip_addr {
	struct in6_addr in6;
	uint32_t scope;
};

/* An address and a port, in the byte order of the machine. */
struct socket_address {
	struct in6_addr ip;
	uint16_t port;
};

/* Prefixes of IPv4 are 96 bits longer than they are written. */
struct prefix {
	struct in6_addr ip;
	uint8_t length;
};

/* "[" address "]:" port, which also holds a bare address. */
#define ADDRESS_TEXT (INET6_ADDRSTRLEN + 10)

/*
 * Parses "192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1", "fe80::1%eth0", "[2001:db8::1]".
 * 0; -EINVAL if @s is not an address; -ENODEV if its zone names no interface of the network namespace
 * that the calling thread is in.
 */
int address_parse(const char *s, struct ip_addr *ret);

/*
 * The same without its zone, which may name an interface of any network namespace and is not looked
 * for: what a controller or a port shows, or a file says, is not of the caller's. 0 or -EINVAL.
 */
int address_parse_ip(const char *s, struct in6_addr *ret);

/* The address of @sa, or false if it is not IP. */
bool address_from_sockaddr(const struct sockaddr *sa, struct ip_addr *ret);

/* For the kernel, as one of @family, which an address of IPv4 may have either of. Its size. */
socklen_t address_to_sockaddr(int family, const struct ip_addr *ip, uint16_t port,
			      struct sockaddr_storage *ret);

/* The same address? Zones are compared only where both have one. */
bool address_matches(const struct ip_addr *a, const struct ip_addr *b);

bool address_is_v4(const struct in6_addr *ip);
bool address_is_loopback(const struct in6_addr *ip);

/* RFC 1918, RFC 6598, RFC 3927, RFC 4193, loopback: not to be reached from elsewhere. */
bool address_is_private(const struct in6_addr *ip);

bool address_equal(const struct in6_addr *a, const struct in6_addr *b);
bool address_same_family(const struct in6_addr *a, const struct in6_addr *b);
bool address_port_equal(const struct socket_address *a, const struct socket_address *b);

/* Does a socket that is bound to @bound receive what is sent to @ip? */
bool address_covers(const struct in6_addr *bound, const struct in6_addr *ip);

bool prefix_has(const struct prefix *prefix, const struct in6_addr *ip);

/* "192.0.2.1", and with a port "192.0.2.1:4420" or "[2001:db8::1]:4420". */
void address_text(const struct in6_addr *ip, char text[static ADDRESS_TEXT]);
void address_port_text(const struct socket_address *address, char text[static ADDRESS_TEXT]);

/* Could @s be a host name to resolve: not empty and not an IP address? */
bool address_is_hostname(const char *s);

/*
 * Resolves host name or address @name to text without port; zones of link-local addresses are
 * kept. 0 and a string to free; -EINVAL on an empty name; -ENOMEM; -EAGAIN if the name server does
 * not answer; -ENOENT if the name has no address. *@reason is a static sentence on failure.
 */
int address_resolve(const char *name, char **ret, const char **reason);

/* Name of the first interface of @list that owns @addr, or NULL. It lives as long as @list. */
const char *address_interface(const struct ifaddrs *list, const struct ip_addr *addr);

/* Is @addr the first address of its family on @iface? */
bool address_is_primary(const struct ifaddrs *list, const char *iface, const struct ip_addr *addr);

/* What the attribute "address" of a controller of fabrics has; strings are owned, absent ones NULL. */
struct address_parts {
	char *traddr, *trsvcid, *host_traddr, *host_iface;
};

/* 0 or -ENOMEM. @text: NULL, or empty, has no parts. */
int address_parts_parse(const char *text, struct address_parts *ret);
void address_parts_free(struct address_parts *parts);
/* The value of @key ("src_addr") in the attribute; *@len bytes, or NULL. */
const char *address_value(const char *text, const char *key, size_t *len);
