/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The object "relay" of an object "mptcp": its form. What it means is checked where it is applied. */
#include <net/if.h>
#include <string.h>

#include "base/cleanup.h"
#include "configured.h"

/* As many as an administrator writes down, and a rule holds. */
#define ENTRIES_MAX 1024

typedef bool (*entry_fn)(struct json_object *value);

static bool is_text(struct json_object *value)
{
	return json_object_is_type(value, json_type_string) &&
	       json_object_get_string_len(value) == (int)strlen(json_object_get_string(value)) &&
	       *json_object_get_string(value);
}

static bool is_port_number(struct json_object *value)
{
	return json_object_is_type(value, json_type_int) && json_object_get_int64(value) >= 1 &&
	       json_object_get_int64(value) <= 65535;
}

static bool is_link(struct json_object *value)
{
	return is_text(value) && strlen(json_object_get_string(value)) < IFNAMSIZ;
}

static int check_list(struct reader *read, struct json_object *list, entry_fn is_entry,
		      const char *what)
{
	int err = 0;

	if (!json_object_is_type(list, json_type_array))
		return reader_fail(read, reader_line(list), "must be an array");
	if (json_object_array_length(list) > ENTRIES_MAX)
		return reader_fail(read, reader_line(list), "has more than %d entries",
				   ENTRIES_MAX);
	for (size_t i = 0; !err && i < json_object_array_length(list); i++) {
		struct json_object *value = json_object_array_get_idx(list, i);

		reader_enter_index(read, i);
		if (!is_entry(value))
			err = reader_fail(read, reader_line(value), "must be %s", what);
		reader_leave(read);
	}
	return err;
}

static int check_portals(struct reader *read, struct json_object *value)
{
	if (json_object_is_type(value, json_type_string) &&
	    !strcmp(json_object_get_string(value), "auto"))
		return 0;
	if (!json_object_is_type(value, json_type_array))
		return reader_fail(read, reader_line(value),
				   "must be an array of portals, or \"auto\"");
	return check_list(read, value, is_text, "a portal, such as \"192.0.2.1:4420\"");
}

static int check_mode(struct reader *read, struct json_object *value)
{
	if (json_object_is_type(value, json_type_string) &&
	    (!strcmp(json_object_get_string(value), "steer") ||
	     !strcmp(json_object_get_string(value), "address")))
		return 0;
	return reader_fail(read, reader_line(value), "must be \"steer\" or \"address\"");
}

static int check_key(struct reader *read, const char *key, struct json_object *value)
{
	if (!strcmp(key, "portals"))
		return check_portals(read, value);
	if (!strcmp(key, "ports"))
		return check_list(read, value, is_port_number, "a whole number from 1 to 65535");
	if (!strcmp(key, "links"))
		return check_list(read, value, is_link, "the name of a network interface");
	if (!strcmp(key, "mode"))
		return check_mode(read, value);
	return reader_fail(read, reader_line(value),
			   "no such key; known are portals, ports, links, mode");
}

int config_check_relay(struct reader *read, struct json_object *relay)
{
	int err = 0;

	if (!json_object_is_type(relay, json_type_object))
		return reader_fail(read, reader_line(relay), "must be an object");
	json_object_object_foreach(relay, key, value) {
		reader_enter_key(read, key, strlen(key));
		err = check_key(read, key, value);
		reader_leave(read);
		if (err)
			break;
	}
	return err;
}
