/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>

#include "address.h"
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
	int64_t index;

	if (!str_parse_int(zone, 1, INT32_MAX, &index)) {
		*ret = (uint32_t)index;
		return 0;
	}
	*ret = if_nametoindex(zone);
	return *ret ? 0 : -ENODEV;
}

#define SPELT (INET6_ADDRSTRLEN + IF_NAMESIZE + 2)

/* Split an address and its zone. *@zone points into @text, or is NULL. Return 0 or -EINVAL. */
static int split(const char *s, char text[static SPELT], struct ip_addr *ret, const char **zone)
{
	struct in_addr in;
	size_t len;
	char *end;

	*zone = NULL;
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
	if (len >= SPELT || !memchr(s, ':', len))
		return -EINVAL;
	str_copy(text, SPELT, s, len);
	end = strchr(text, '%');
	if (end) {
		*end++ = '\0';
		*zone = end;
	}
	if (inet_pton(AF_INET6, text, &ret->in6) != 1)
		return -EINVAL;
	return end && !*end ? -EINVAL : 0;
}

int address_parse(const char *s, struct ip_addr *ret)
{
	struct ip_addr parsed = { 0 };
	char text[SPELT];
	const char *zone;
	int err = split(s, text, &parsed, &zone);

	if (!err && zone)
		err = parse_zone(zone, &parsed.scope);
	if (!err)
		*ret = parsed;
	return err;
}

int address_parse_ip(const char *s, struct in6_addr *ret)
{
	struct ip_addr parsed = { 0 };
	char text[SPELT];
	const char *zone;
	int err = split(s, text, &parsed, &zone);

	if (!err)
		*ret = parsed.in6;
	return err;
}

bool address_from_sockaddr(const struct sockaddr *sa, struct ip_addr *ret)
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

socklen_t address_to_sockaddr(int family, const struct ip_addr *ip, uint16_t port,
			      struct sockaddr_storage *ret)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret;
	struct sockaddr_in *in = (struct sockaddr_in *)ret;

	*ret = (struct sockaddr_storage){ .ss_family = (sa_family_t)family };
	if (family == AF_INET) {
		in->sin_port = htons(port);
		in->sin_addr.s_addr = ip->in6.s6_addr32[3];
		return sizeof(*in);
	}
	in6->sin6_port = htons(port);
	in6->sin6_addr = ip->in6;
	in6->sin6_scope_id = ip->scope;
	return sizeof(*in6);
}

bool address_is_v4(const struct in6_addr *ip)
{
	return IN6_IS_ADDR_V4MAPPED(ip);
}

bool address_is_loopback(const struct in6_addr *ip)
{
	return address_is_v4(ip) ? ip->s6_addr[12] == 127 : IN6_IS_ADDR_LOOPBACK(ip);
}

bool address_is_link_local(const struct in6_addr *ip)
{
	return address_is_v4(ip) ? ip->s6_addr[12] == 169 && ip->s6_addr[13] == 254
				 : IN6_IS_ADDR_LINKLOCAL(ip);
}

bool address_is_private(const struct in6_addr *ip)
{
	static const struct {
		uint32_t net, mask;
	} blocks[] = {
		{ 0x0a000000, 0xff000000 }, { 0xac100000, 0xfff00000 }, { 0xc0a80000, 0xffff0000 },
		{ 0x64400000, 0xffc00000 }, { 0xa9fe0000, 0xffff0000 }, { 0x7f000000, 0xff000000 },
	};
	uint32_t v4 = ntohl(ip->s6_addr32[3]);

	if (!address_is_v4(ip))
		return (ip->s6_addr[0] & 0xfe) == 0xfc || IN6_IS_ADDR_LINKLOCAL(ip) ||
		       address_is_loopback(ip);
	for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++)
		if ((v4 & blocks[i].mask) == blocks[i].net)
			return true;
	return false;
}

bool address_equal(const struct in6_addr *a, const struct in6_addr *b)
{
	return !memcmp(a, b, sizeof(*a));
}

bool address_matches(const struct ip_addr *a, const struct ip_addr *b)
{
	if (!address_equal(&a->in6, &b->in6))
		return false;
	return !a->scope || !b->scope || a->scope == b->scope;
}

bool address_same_family(const struct in6_addr *a, const struct in6_addr *b)
{
	return address_is_v4(a) == address_is_v4(b);
}

bool address_port_equal(const struct socket_address *a, const struct socket_address *b)
{
	return a->port == b->port && address_equal(&a->ip, &b->ip);
}

int address_port_compare(const struct socket_address *a, const struct socket_address *b)
{
	return memcmp(&a->ip, &b->ip, sizeof(a->ip)) ?: ((int)a->port - (int)b->port);
}

bool address_covers(const struct in6_addr *bound, const struct in6_addr *ip)
{
	bool v4 = address_is_v4(bound);
	bool any = v4 ? !bound->s6_addr32[3] : IN6_IS_ADDR_UNSPECIFIED(bound);

	return address_equal(bound, ip) || (any && (!v4 || address_is_v4(ip)));
}

bool prefix_has(const struct prefix *prefix, const struct in6_addr *ip)
{
	unsigned int bytes = prefix->length / 8, bits = prefix->length % 8;

	if (prefix->length > 128 || memcmp(&prefix->ip, ip, bytes))
		return false;
	return !bits || !((prefix->ip.s6_addr[bytes] ^ ip->s6_addr[bytes]) >> (8 - bits));
}

static char *append_number(char *at, unsigned int n)
{
	char digits[10];
	size_t i = sizeof(digits);

	do {
		digits[--i] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	memcpy(at, digits + i, sizeof(digits) - i);
	return at + sizeof(digits) - i;
}

/* No snprintf(): formatting two addresses per subflow would take a tenth of a snapshot's time. */
static char *append_ip(char *at, const struct in6_addr *ip)
{
	if (!address_is_v4(ip)) {
		inet_ntop(AF_INET6, ip, at, INET6_ADDRSTRLEN);
		return at + strlen(at);
	}
	for (size_t i = 12; i < sizeof(ip->s6_addr); i++) {
		at = append_number(at, ip->s6_addr[i]);
		*at++ = '.';
	}
	*--at = '\0';
	return at;
}

const char *address_text(const struct in6_addr *ip, char text[static ADDRESS_TEXT])
{
	append_ip(text, ip);
	return text;
}

const char *address_port_text(const struct socket_address *address, char text[static ADDRESS_TEXT])
{
	const bool v6 = !address_is_v4(&address->ip);
	char *at = text;

	if (v6)
		*at++ = '[';
	at = append_ip(at, &address->ip);
	if (v6)
		*at++ = ']';
	*at++ = ':';
	*append_number(at, address->port) = '\0';
	return text;
}

bool address_is_hostname(const char *s)
{
	struct in6_addr ignored;

	return s && *s && address_parse_ip(s, &ignored);
}

int address_resolve(const char *name, char **ret, const char **reason)
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

const char *address_interface(const struct ifaddrs *list, const struct ip_addr *addr)
{
	struct ip_addr own;

	for (const struct ifaddrs *i = list; i; i = i->ifa_next)
		if (address_from_sockaddr(i->ifa_addr, &own) && address_matches(&own, addr))
			return i->ifa_name;
	return NULL;
}

bool address_is_primary(const struct ifaddrs *list, const char *iface, const struct ip_addr *addr)
{
	struct ip_addr own;

	for (const struct ifaddrs *i = list; i; i = i->ifa_next) {
		if (!i->ifa_name || strcmp(i->ifa_name, iface) != 0)
			continue;
		if (address_from_sockaddr(i->ifa_addr, &own) &&
		    address_is_v4(&own.in6) == address_is_v4(&addr->in6))
			return address_matches(&own, addr);
	}
	return false;
}

/*
 * The kernel's nvmf_get_address() (drivers/nvme/host/fabrics.c) writes the attribute:
 * "traddr=10.1.1.1,trsvcid=4420".
 */
const char *address_value(const char *text, const char *key, size_t *len)
{
	size_t key_len = strlen(key);

	while (text && *text) {
		size_t token = strcspn(text, ",");

		if (token > key_len && text[key_len] == '=' && !strncmp(text, key, key_len)) {
			*len = token - key_len - 1;
			return text + key_len + 1;
		}
		text += token;
		text += strspn(text, ", ");
	}
	return NULL;
}

static int take_part(const char *text, const char *key, char **ret)
{
	size_t len;
	const char *value = address_value(text, key, &len);
	char *copy;

	if (!value || !len)
		return 0;
	copy = strndup(value, len);
	if (!copy)
		return -ENOMEM;
	if (str_is_unset(copy))
		free(copy);
	else
		*ret = copy;
	return 0;
}

int address_parts_parse(const char *text, struct address_parts *ret)
{
	struct address_parts parts = { 0 };

	if (take_part(text, "traddr", &parts.traddr) ||
	    take_part(text, "trsvcid", &parts.trsvcid) ||
	    take_part(text, "host_traddr", &parts.host_traddr) ||
	    take_part(text, "host_iface", &parts.host_iface)) {
		address_parts_free(&parts);
		return -ENOMEM;
	}
	*ret = parts;
	return 0;
}

void address_parts_free(struct address_parts *parts)
{
	free(parts->traddr);
	free(parts->trsvcid);
	free(parts->host_traddr);
	free(parts->host_iface);
	*parts = (struct address_parts){ 0 };
}
