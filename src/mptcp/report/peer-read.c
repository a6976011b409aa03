// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read members of untrusted JSON documents. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/address.h"
#include "base/str.h"
#include "peer-read.h"

/* Report that a member is not as expected; without it give the line of @in. Returns NULL. */
static void *reject(struct peer_reader *r, struct json_object *in, const char *key,
		    const char *expected)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(in, key, &value);
	peer_enter(r, key);
	peer_fail(r, reader_line(value) ? value : in, "%s expected%s", expected,
		  value ? "" : ", but it is missing");
	peer_leave(r);
	return NULL;
}

/* Return a member of the given type; NULL after an error, or if it is absent and not required. */
static struct json_object *find_member(struct peer_reader *r, struct json_object *in,
				       const char *key, bool must, enum json_type type,
				       const char *expected)
{
	struct json_object *value = NULL;

	if (!r->err)
		json_object_object_get_ex(in, key, &value);
	if (r->err || (!value && !must))
		return NULL;
	return json_object_get_type(value) == type ? value : reject(r, in, key, expected);
}

struct json_object *peer_read_dict(struct peer_reader *r, struct json_object *in, const char *key,
				   bool must)
{
	return find_member(r, in, key, must, json_type_object, "an object is");
}

int64_t peer_read_number(struct peer_reader *r, struct json_object *in, const char *key, bool must,
			 int64_t min, int64_t max)
{
	struct json_object *value =
		find_member(r, in, key, must, json_type_int, "a whole number is");
	const int64_t number = value ? json_object_get_int64(value) : NVME_MPTCP_UNKNOWN;

	if (!value || (number >= min && number <= max))
		return number;
	reject(r, in, key, "a number within its range is");
	return NVME_MPTCP_UNKNOWN;
}

int peer_read_bool(struct peer_reader *r, struct json_object *in, const char *key)
{
	struct json_object *value =
		find_member(r, in, key, MAY, json_type_boolean, "true or false is");

	return value ? json_object_get_boolean(value) : NVME_MPTCP_UNKNOWN;
}

bool peer_is_word(const char *text, size_t most)
{
	size_t n = strlen(text);

	if (!n || n > most)
		return false;
	for (const char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr(".:_-@+", *c))
			return false;
	return *text != '-' && strcmp(text, ".") && strcmp(text, "..");
}

const char *peer_read_text(struct peer_reader *r, struct json_object *in, const char *key,
			   bool must, size_t most)
{
	struct json_object *value = find_member(r, in, key, must, json_type_string, "a string is");

	if (value && (size_t)json_object_get_string_len(value) > most)
		return reject(r, in, key, "a shorter string is");
	return value ? json_object_get_string(value) : NULL;
}

const char *peer_read_word(struct peer_reader *r, struct json_object *in, const char *key,
			   bool must, size_t most)
{
	const char *text = peer_read_text(r, in, key, must, most);

	if (text && !peer_is_word(text, most))
		return reject(r, in, key, "a name of letters, digits and \".:_-@+\" is");
	return text;
}

void peer_read_words(struct peer_reader *r, struct json_object *in, const char *key, size_t most,
		     int (*fn)(const char *word, void *arg), void *arg)
{
	struct json_object *list =
		find_member(r, in, key, MUST, json_type_array, "a list of names is");

	for (size_t i = 0; !r->err && i < json_object_array_length(list); i++) {
		struct json_object *value = json_object_array_get_idx(list, i);

		if (json_object_get_type(value) == json_type_string &&
		    peer_is_word(json_object_get_string(value), most))
			r->err = fn(json_object_get_string(value), arg);
		else
			reject(r, in, key, "a list of names is");
	}
}

int peer_read_choice(struct peer_reader *r, struct json_object *in, const char *key, bool must,
		     const char *const *names, size_t n)
{
	const char *text = peer_read_text(r, in, key, must, 64);

	for (size_t i = 0; text && i < n; i++)
		if (names[i] && !strcmp(names[i], text))
			return (int)i;
	return -1;
}

static bool take_bit(const char *text, const char *const *names, size_t n, int64_t *bits)
{
	int64_t number;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i], text))
			continue;
		*bits |= 1LL << i;
		return true;
	}
	if (strncmp(text, "0x", 2) || str_parse_int(text, 0, UINT32_MAX, &number))
		return false;
	*bits |= number;
	return true;
}

int64_t peer_read_bits(struct peer_reader *r, struct json_object *in, const char *key,
		       const char *const *names, size_t n)
{
	struct json_object *list =
		find_member(r, in, key, MAY, json_type_array, "a list of names is");
	int64_t bits = 0;

	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *value = json_object_array_get_idx(list, i);

		if (json_object_get_type(value) != json_type_string ||
		    !take_bit(json_object_get_string(value), names, n, &bits))
			list = reject(r, in, key, "a list of known names is");
	}
	return list ? bits : NVME_MPTCP_UNKNOWN;
}

static int parse_ip(const char *text, struct in6_addr *ret)
{
	struct ip_addr ip;

	/* A zone would be looked up among the interfaces of this machine. */
	if (strchr(text, '%') || address_parse(text, &ip))
		return -EINVAL;
	*ret = ip.in6;
	return 0;
}

bool peer_read_ip(struct peer_reader *r, struct json_object *in, const char *key, bool must,
		  struct in6_addr *ret)
{
	const char *text = peer_read_text(r, in, key, must, INET6_ADDRSTRLEN);

	if (text && parse_ip(text, ret))
		return reject(r, in, key, "an IP address is");
	return text;
}

/* Read an address that ends at the last @end. Returns the text after that, or NULL. */
static const char *parse_ip_before(const char *text, char end, struct in6_addr *ret)
{
	const char *rest = strrchr(text, end);
	char ip[INET6_ADDRSTRLEN + 2];

	if (!rest || (size_t)(rest - text) >= sizeof(ip))
		return NULL;
	str_copy(ip, sizeof(ip), text, (size_t)(rest - text));
	return parse_ip(ip, ret) ? NULL : rest + 1;
}

struct socket_address peer_read_ends(struct peer_reader *r, struct json_object *in, const char *key)
{
	const char *text = peer_read_text(r, in, key, MUST, ADDRESS_TEXT), *port;
	struct socket_address ret = {};
	int64_t number = 0;

	if (text) {
		port = parse_ip_before(text, ':', &ret.ip);
		if (!port || str_parse_int(port, 0, UINT16_MAX, &number))
			reject(r, in, key, "an IP address with a port is");
		ret.port = (uint16_t)number;
	}
	return ret;
}

bool peer_read_prefix(struct peer_reader *r, struct json_object *in, const char *key, bool v4,
		      struct prefix *ret)
{
	const char *text = peer_read_text(r, in, key, MUST, INET6_ADDRSTRLEN + 4), *bits;
	int64_t length = 0;

	*ret = (struct prefix){ .length = v4 ? 96 : 0 };
	if (v4)
		ret->ip.s6_addr[10] = ret->ip.s6_addr[11] = 0xff;
	if (!text || !strcmp(text, "default"))
		return false;
	bits = parse_ip_before(text, '/', &ret->ip);
	if (!bits || (v4 && !address_is_v4(&ret->ip)) ||
	    str_parse_int(bits, 0, v4 ? 32 : 128, &length))
		reject(r, in, key, "an address with the length of its prefix is");
	ret->length = (uint8_t)(v4 ? length + 96 : length);
	return true;
}

void peer_read_each(struct peer_reader *r, struct json_object *in, const char *key, bool must,
		    void (*fn)(struct peer_reader *r, struct json_object *dict, void *arg),
		    void *arg)
{
	struct json_object *list = find_member(r, in, key, must, json_type_array, "a list is");

	peer_enter(r, key);
	for (size_t i = 0; !r->err && list && i < json_object_array_length(list); i++) {
		struct json_object *dict = json_object_array_get_idx(list, i);

		reader_enter_element(&r->json, list, i);
		if (json_object_get_type(dict) == json_type_object)
			fn(r, dict, arg);
		else
			peer_fail(r, NULL, "an object is expected");
		peer_leave(r);
	}
	peer_leave(r);
}

void peer_read_members(struct peer_reader *r, struct json_object *in, const char *key,
		       void (*fn)(struct peer_reader *r, struct json_object *dict, const char *key,
				  void *arg),
		       void *arg)
{
	struct json_object *dict = peer_read_dict(r, in, key, MUST);

	if (r->err)
		return;
	peer_enter(r, key);
	json_object_object_foreach(dict, member, ignored) {
		(void)ignored;
		if (!r->err)
			fn(r, dict, member, arg);
	}
	peer_leave(r);
}

void *peer_add(struct peer_reader *r, struct json_object *in, void *array, size_t *n, size_t size,
	       size_t most, const char *what)
{
	void *added = NULL;

	if (!r->err && *n >= most)
		peer_fail(r, in, "more than %zu %s", most, what);
	if (!r->err) {
		added = array_add(array, n, size);
		r->err = added ? 0 : -ENOMEM;
	}
	return added;
}

void peer_keep(struct peer_reader *r, char **field, const char *value)
{
	if (!r->err)
		r->err = str_set(field, value);
}
