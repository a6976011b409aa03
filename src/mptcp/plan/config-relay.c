/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the form of the object "relay" in an object "mptcp", not its meaning. */
#include <net/if.h>

#include "configured.h"

/* More than an administrator writes, and few enough for a rule. */
#define ENTRIES_MAX 1024

static int check_portal(struct reader *read, struct json_object *value)
{
	const char *text = json_object_get_string(value);

	if (json_object_is_type(value, json_type_string) && *text)
		return 0;
	return reader_fail(read, reader_line(value),
			   "must be a portal, such as \"192.0.2.1:4420\"");
}

static int check_port(struct reader *read, struct json_object *value)
{
	return config_check_int(read, value, 1, 65535);
}

static int check_link(struct reader *read, struct json_object *value)
{
	const char *text = json_object_get_string(value);

	if (json_object_is_type(value, json_type_string) && *text && strlen(text) < IFNAMSIZ)
		return 0;
	return reader_fail(read, reader_line(value), "must be the name of a network interface");
}

static int check_portals(struct reader *read, struct json_object *value)
{
	if (json_object_is_type(value, json_type_string) &&
	    !strcmp(json_object_get_string(value), "auto"))
		return 0;
	if (!json_object_is_type(value, json_type_array))
		return reader_fail(read, reader_line(value),
				   "must be an array of portals, or \"auto\"");
	return config_check_each(read, value, ENTRIES_MAX, check_portal);
}

static int check_mode(struct reader *read, struct json_object *value)
{
	if (json_object_is_type(value, json_type_string) &&
	    (!strcmp(json_object_get_string(value), "steer") ||
	     !strcmp(json_object_get_string(value), "address")))
		return 0;
	return reader_fail(read, reader_line(value), "must be \"steer\" or \"address\"");
}

static int check_relay_key(struct reader *read, const char *key, struct json_object *value)
{
	if (!strcmp(key, "portals"))
		return check_portals(read, value);
	if (!strcmp(key, "ports"))
		return config_check_each(read, value, ENTRIES_MAX, check_port);
	if (!strcmp(key, "links"))
		return config_check_each(read, value, ENTRIES_MAX, check_link);
	if (!strcmp(key, "mode"))
		return check_mode(read, value);
	return reader_fail(read, reader_line(value),
			   "unknown key; use portals, ports, links or mode");
}

int config_check_relay(struct reader *read, struct json_object *relay)
{
	return config_check_members(read, relay, check_relay_key);
}
