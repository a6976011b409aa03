/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "addr.h"
#include "str.h"

static void map_v4(const struct in_addr *in, struct ip_addr *ret)
{
	*ret = (struct ip_addr){ 0 };
	ret->in6.s6_addr[10] = 0xff;
	ret->in6.s6_addr[11] = 0xff;
	memcpy(&ret->in6.s6_addr[12], in, sizeof(*in));
}

static int parse_zone(const char *zone, uint32_t *ret)
{
	long index;

	if (!parse_int(zone, 1, INT32_MAX, &index)) {
		*ret = (uint32_t)index;
		return 0;
	}
	*ret = if_nametoindex(zone);
	return *ret ? 0 : -ENODEV;
}

int ip_parse(const char *s, struct ip_addr *ret)
{
	char text[INET6_ADDRSTRLEN + IF_NAMESIZE + 2];
	struct ip_addr parsed = { 0 };
	struct in_addr in;
	char *zone;
	size_t len;

	if (!s)
		return -EINVAL;
	if (inet_pton(AF_INET, s, &in) == 1) {
		map_v4(&in, ret);
		return 0;
	}
	len = strlen(s);
	if (len > 2 && s[0] == '[' && s[len - 1] == ']') {
		s++;
		len -= 2;
	}
	if (len >= sizeof(text) || !memchr(s, ':', len))
		return -EINVAL;
	bounded_copy(text, sizeof(text), s, len);
	zone = strchr(text, '%');
	if (zone)
		*zone++ = '\0';
	if (inet_pton(AF_INET6, text, &parsed.in6) != 1)
		return -EINVAL;
	if (zone) {
		int err = *zone ? parse_zone(zone, &parsed.scope) : -EINVAL;

		if (err)
			return err;
	}
	*ret = parsed;
	return 0;
}

bool ip_is_v4(const struct ip_addr *addr)
{
	return IN6_IS_ADDR_V4MAPPED(&addr->in6);
}

bool ip_eq(const struct ip_addr *a, const struct ip_addr *b)
{
	if (memcmp(&a->in6, &b->in6, sizeof(a->in6)) != 0)
		return false;
	return !a->scope || !b->scope || a->scope == b->scope;
}

bool ip_from_sockaddr(const struct sockaddr *sa, struct ip_addr *ret)
{
	struct sockaddr_in6 in6;
	struct sockaddr_in in;

	if (!sa)
		return false;
	if (sa->sa_family == AF_INET) {
		memcpy(&in, sa, sizeof(in));
		map_v4(&in.sin_addr, ret);
		return true;
	}
	if (sa->sa_family == AF_INET6) {
		memcpy(&in6, sa, sizeof(in6));
		*ret = (struct ip_addr){ .in6 = in6.sin6_addr, .scope = in6.sin6_scope_id };
		return true;
	}
	return false;
}

bool addr_is_hostname(const char *s)
{
	struct ip_addr ignored;

	return s && *s && ip_parse(s, &ignored) == -EINVAL;
}

int addr_resolve(const char *name, char **ret, const char **reason)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	struct addrinfo *list = NULL;
	char text[INET6_ADDRSTRLEN + IF_NAMESIZE + 2];
	char *copy;
	int err;

	if (str_is_unset(name)) {
		*reason = "the name is empty";
		return -EINVAL;
	}
	err = getaddrinfo(name, NULL, &hints, &list);
	if (!err) {
		err = getnameinfo(list->ai_addr, list->ai_addrlen, text, sizeof(text), NULL, 0,
				  NI_NUMERICHOST);
		freeaddrinfo(list);
	}
	if (err) {
		*reason = gai_strerror(err);
		if (err == EAI_AGAIN)
			return -EAGAIN;
		return err == EAI_MEMORY ? -ENOMEM : -ENOENT;
	}
	copy = strdup(text);
	if (!copy) {
		*reason = "out of memory";
		return -ENOMEM;
	}
	*ret = copy;
	return 0;
}

const char *iface_by_addr(const struct ifaddrs *list, const struct ip_addr *addr)
{
	struct ip_addr own;

	for (const struct ifaddrs *i = list; i; i = i->ifa_next)
		if (ip_from_sockaddr(i->ifa_addr, &own) && ip_eq(&own, addr))
			return i->ifa_name;
	return NULL;
}

bool iface_primary_is(const struct ifaddrs *list, const char *iface, const struct ip_addr *addr)
{
	struct ip_addr own;

	for (const struct ifaddrs *i = list; i; i = i->ifa_next) {
		if (!i->ifa_name || strcmp(i->ifa_name, iface) != 0)
			continue;
		if (ip_from_sockaddr(i->ifa_addr, &own) && ip_is_v4(&own) == ip_is_v4(addr))
			return ip_eq(&own, addr);
	}
	return false;
}
