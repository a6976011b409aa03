// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read members of untrusted JSON documents. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/address.h"
#include "base/str.h"
#include "peer-read.h"

/* Report that @value is not as expected; without a value give the line of @in. */
static int reject_value(struct reader *r, struct json_object *in, const char *key,
			struct json_object *value, const char *expected)
{
	unsigned int line = reader_line(value);
	int err;

	reader_enter_key(r, key, strlen(key));
	err = reader_fail(r, line ? line : reader_line(in), "%s expected%s", expected,
			  value ? "" : ", but it is missing");
	reader_leave(r);
	return err;
}

/* Find a member of the given type. *@ret is NULL if it is absent and not required. */
static int find_member(struct reader *r, struct json_object *in, const char *key, bool must,
		       enum json_type type, const char *expected, struct json_object **ret)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(in, key, &value);
	if (!value && !must) {
		*ret = NULL;
		return 0;
	}
	if (!value || json_object_get_type(value) != type)
		return reject_value(r, in, key, value, expected);
	*ret = value;
	return 0;
}

int peer_read_dict(struct reader *r, struct json_object *in, const char *key, bool must,
		   struct json_object **ret)
{
	return find_member(r, in, key, must, json_type_object, "an object is", ret);
}

int peer_read_number(struct reader *r, struct json_object *in, const char *key, bool must,
		     int64_t min, int64_t max, int64_t *ret)
{
	struct json_object *value = NULL;
	int64_t number;
	int err = find_member(r, in, key, must, json_type_int, "a whole number is", &value);

	if (err)
		return err;
	if (!value) {
		*ret = NVME_MPTCP_UNKNOWN;
		return 0;
	}
	number = json_object_get_int64(value);
	if (number < min || number > max)
		return reject_value(r, in, key, value, "a number within its range is");
	*ret = number;
	return 0;
}

int peer_read_bool(struct reader *r, struct json_object *in, const char *key, int *ret)
{
	struct json_object *value = NULL;
	int err = find_member(r, in, key, MAY, json_type_boolean, "true or false is", &value);

	if (!err)
		*ret = value ? json_object_get_boolean(value) : NVME_MPTCP_UNKNOWN;
	return err;
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

int peer_read_text(struct reader *r, struct json_object *in, const char *key, bool must,
		   size_t most, const char **ret)
{
	struct json_object *value = NULL;
	int err = find_member(r, in, key, must, json_type_string, "a string is", &value);

	if (err)
		return err;
	if (value && (size_t)json_object_get_string_len(value) > most)
		return reject_value(r, in, key, value, "a shorter string is");
	*ret = value ? json_object_get_string(value) : NULL;
	return 0;
}

int peer_read_word(struct reader *r, struct json_object *in, const char *key, bool must,
		   size_t most, const char **ret)
{
	struct json_object *value = NULL;
	const char *text;
	int err = peer_read_text(r, in, key, must, most, &text);

	if (err)
		return err;
	json_object_object_get_ex(in, key, &value);
	if (text && !peer_is_word(text, most))
		return reject_value(r, in, key, value,
				    "a name of letters, digits and \".:_-@+\" is");
	*ret = text;
	return 0;
}

int peer_read_words(struct reader *r, struct json_object *in, const char *key, size_t most,
		    int (*fn)(const char *word, void *arg), void *arg)
{
	struct json_object *list = NULL;
	int err = find_member(r, in, key, MUST, json_type_array, "a list of names is", &list);

	for (size_t i = 0; !err && i < json_object_array_length(list); i++) {
		struct json_object *value = json_object_array_get_idx(list, i);

		if (json_object_get_type(value) != json_type_string ||
		    !peer_is_word(json_object_get_string(value), most))
			return reject_value(r, in, key, value, "a list of names is");
		err = fn(json_object_get_string(value), arg);
	}
	return err;
}

int peer_read_choice(struct reader *r, struct json_object *in, const char *key, bool must,
		     const char *const *names, size_t n, int *ret)
{
	const char *text;
	int err = peer_read_text(r, in, key, must, 64, &text);

	if (err)
		return err;
	*ret = -1;
	for (size_t i = 0; text && i < n; i++)
		if (names[i] && !strcmp(names[i], text))
			*ret = (int)i;
	return 0;
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

int peer_read_bits(struct reader *r, struct json_object *in, const char *key,
		   const char *const *names, size_t n, int64_t *ret)
{
	struct json_object *list;
	int64_t bits = 0;
	int err = find_member(r, in, key, MAY, json_type_array, "a list of names is", &list);

	if (err)
		return err;
	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *value = json_object_array_get_idx(list, i);

		if (json_object_get_type(value) != json_type_string ||
		    !take_bit(json_object_get_string(value), names, n, &bits))
			return reject_value(r, in, key, value, "a list of known names is");
	}
	*ret = list ? bits : NVME_MPTCP_UNKNOWN;
	return 0;
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

int peer_read_ip(struct reader *r, struct json_object *in, const char *key, bool must,
		 struct in6_addr *ret, bool *has)
{
	struct json_object *value = NULL;
	const char *text;
	int err = peer_read_text(r, in, key, must, INET6_ADDRSTRLEN, &text);

	if (err)
		return err;
	json_object_object_get_ex(in, key, &value);
	if (text && parse_ip(text, ret))
		return reject_value(r, in, key, value, "an IP address is");
	if (has)
		*has = text;
	return 0;
}

int peer_read_ends(struct reader *r, struct json_object *in, const char *key,
		   struct socket_address *ret)
{
	struct json_object *value = NULL;
	char ip[INET6_ADDRSTRLEN + 2];
	const char *text, *colon;
	int64_t port;
	int err = peer_read_text(r, in, key, MUST, ADDRESS_TEXT, &text);

	if (err)
		return err;
	json_object_object_get_ex(in, key, &value);
	colon = strrchr(text, ':');
	if (!colon || (size_t)(colon - text) >= sizeof(ip))
		return reject_value(r, in, key, value, "an IP address with a port is");
	str_copy(ip, sizeof(ip), text, (size_t)(colon - text));
	if (parse_ip(ip, &ret->ip) || str_parse_int(colon + 1, 0, UINT16_MAX, &port))
		return reject_value(r, in, key, value, "an IP address with a port is");
	ret->port = (uint16_t)port;
	return 0;
}

int peer_read_prefix(struct reader *r, struct json_object *in, const char *key, bool v4,
		     struct prefix *ret, bool *has)
{
	struct json_object *value = NULL;
	char ip[INET6_ADDRSTRLEN];
	const char *text, *slash;
	int64_t length = 0;
	int err = peer_read_text(r, in, key, MUST, INET6_ADDRSTRLEN + 4, &text);

	if (err)
		return err;
	json_object_object_get_ex(in, key, &value);
	*has = strcmp(text, "default");
	*ret = (struct prefix){ .length = v4 ? 96 : 0 };
	if (v4)
		ret->ip.s6_addr[10] = ret->ip.s6_addr[11] = 0xff;
	if (!*has)
		return 0;
	slash = strchr(text, '/');
	if (!slash || (size_t)(slash - text) >= sizeof(ip))
		return reject_value(r, in, key, value,
				    "an address with the length of its prefix is");
	str_copy(ip, sizeof(ip), text, (size_t)(slash - text));
	if (parse_ip(ip, &ret->ip) || (v4 && !address_is_v4(&ret->ip)) ||
	    str_parse_int(slash + 1, 0, v4 ? 32 : 128, &length))
		return reject_value(r, in, key, value,
				    "an address with the length of its prefix is");
	ret->length = (uint8_t)(v4 ? length + 96 : length);
	return 0;
}

int peer_read_each(struct reader *r, struct json_object *in, const char *key, bool must,
		   int (*fn)(struct reader *r, struct json_object *dict, void *arg), void *arg)
{
	struct json_object *list;
	int err = find_member(r, in, key, must, json_type_array, "a list is", &list);

	reader_enter_key(r, key, strlen(key));
	for (size_t i = 0; !err && list && i < json_object_array_length(list); i++) {
		struct json_object *dict = json_object_array_get_idx(list, i);

		reader_enter_element(r, list, i);
		if (json_object_get_type(dict) == json_type_object)
			err = fn(r, dict, arg);
		else
			err = reader_fail(r, 0, "an object is expected");
		reader_leave(r);
	}
	reader_leave(r);
	return err;
}
