// SPDX-License-Identifier: LGPL-2.1-or-later
/* JSON documents as trees of json-c. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>

#include "shared/json-stream.h"
#include "json.h"
#include "snapshot.h"

struct json_object *json_list(struct json_writer *w)
{
	struct json_object *list = json_object_new_array();

	if (!list)
		w->failed = true;
	return list;
}

struct json_object *json_dict(struct json_writer *w)
{
	struct json_object *dict = json_object_new_object();

	if (!dict)
		w->failed = true;
	return dict;
}

void json_append(struct json_writer *w, struct json_object *list, struct json_object *value)
{
	if (!list || json_object_array_add(list, value)) {
		json_object_put(value);
		w->failed = true;
	}
}

void json_put(struct json_writer *w, struct json_object *dict, const char *key,
	      struct json_object *value)
{
	/* Keys are string literals, and none is put twice. */
	const unsigned int flags = JSON_C_OBJECT_ADD_KEY_IS_NEW | JSON_C_OBJECT_ADD_CONSTANT_KEY;

	if (!dict || json_object_object_add_ex(dict, key, value, flags)) {
		json_object_put(value);
		w->failed = true;
	}
}

static struct json_object *valid_string(struct json_writer *w, const char *s)
{
	static const char replacement[] = "\xef\xbf\xbd";
	struct json_object *value;
	_cleanup_(free) char *valid = malloc(3 * strlen(s) + 1);
	size_t length = 0;

	if (!valid) {
		w->failed = true;
		return NULL;
	}
	while (*s) {
		size_t n = utf8_length((const unsigned char *)s);

		memcpy(valid + length, n ? s : replacement, n ? n : 3);
		length += n ? n : 3;
		s += n ? n : 1;
	}
	value = json_object_new_string_len(valid, length);
	if (!value)
		w->failed = true;
	return value;
}

struct json_object *json_string(struct json_writer *w, const char *value)
{
	struct json_object *object;

	if (!value)
		return NULL;
	for (const char *at = value; *at; at++)
		if (*at & 0x80)
			return valid_string(w, value);
	object = json_object_new_string(value);
	if (!object)
		w->failed = true;
	return object;
}

void json_put_string(struct json_writer *w, struct json_object *dict, const char *key,
		     const char *value)
{
	json_put(w, dict, key, json_string(w, value));
}

void json_put_int(struct json_writer *w, struct json_object *dict, const char *key, int64_t value)
{
	struct json_object *number = NULL;

	if (value != NVME_MPTCP_UNKNOWN) {
		number = json_object_new_int64(value);
		if (!number)
			w->failed = true;
	}
	json_put(w, dict, key, number);
}

void json_put_bool(struct json_writer *w, struct json_object *dict, const char *key, int value)
{
	struct json_object *object = NULL;

	if (value != NVME_MPTCP_UNKNOWN) {
		object = json_object_new_boolean(value);
		if (!object)
			w->failed = true;
	}
	json_put(w, dict, key, object);
}

void json_put_flags(struct json_writer *w, struct json_object *dict, const char *key, int64_t flags,
		    const char *const *names, size_t n)
{
	struct json_object *list;
	char number[20];

	if (flags == NVME_MPTCP_UNKNOWN) {
		json_put(w, dict, key, NULL);
		return;
	}
	list = json_list(w);
	for (size_t i = 0; i < n; i++)
		if (flags & (1LL << i))
			json_append(w, list, json_string(w, names[i]));
	if (flags >> n) {
		snprintf(number, sizeof(number), "0x%llx", (unsigned long long)(flags >> n) << n);
		json_append(w, list, json_string(w, number));
	}
	json_put(w, dict, key, list);
}

char *json_finish(struct json_writer *w, struct json_object *top, bool pretty)
{
	const int flags = JSON_C_TO_STRING_NOSLASHESCAPE |
			  (pretty ? JSON_C_TO_STRING_PRETTY : JSON_C_TO_STRING_PLAIN);
	const char *text = w->failed ? NULL : json_object_to_json_string_ext(top, flags);
	char *result = text ? strdup(text) : NULL;

	json_object_put(top);
	if (!result)
		errno = ENOMEM;
	return result;
}
