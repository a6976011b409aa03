/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the object "mptcp" of a host: endpoints, limits, and rules to ignore. */
#include <net/if.h>

#include "base/str.h"
#include "mptcp/check/rule-list.h"
#include "mptcp/snapshot/command.h"
#include "mptcp/snapshot/endpoint.h"
#include "configured.h"

/*
 * Endpoint ids have eight bits, and no kernel holds more endpoints. The maximum limit is lower, 8
 * or 64 (MPTCP_PM_ADDR_MAX in net/mptcp/protocol.h); kernels refuse what exceeds it.
 */
#define LIMIT_MAX 255
#define ENDPOINTS_MAX 255

int config_check_int(struct reader *read, struct json_object *value, int64_t min, int64_t max)
{
	if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < min ||
	    json_object_get_int64(value) > max)
		return reader_fail(read, reader_line(value),
				   "must be a whole number from %lld to %lld", (long long)min,
				   (long long)max);
	return 0;
}

static int unknown_key(struct reader *read, struct json_object *value, const char *known)
{
	return reader_fail(read, reader_line(value), "unknown key; valid keys are %s", known);
}

int config_check_members(struct reader *read, struct json_object *object,
			 int (*check)(struct reader *read, const char *key,
				      struct json_object *value))
{
	int err = 0;

	if (!json_object_is_type(object, json_type_object))
		return reader_fail(read, reader_line(object), "must be an object");
	json_object_object_foreach(object, key, value) {
		reader_enter_key(read, key, strlen(key));
		err = check(read, key, value);
		reader_leave(read);
		if (err)
			break;
	}
	return err;
}

static int check_limit(struct reader *read, const char *key, struct json_object *value)
{
	if (strcmp(key, "subflows") != 0 && strcmp(key, "add_addr_accepted") != 0)
		return unknown_key(read, value, "subflows, add_addr_accepted");
	return config_check_int(read, value, 0, LIMIT_MAX);
}

static int check_flag(struct reader *read, struct json_object *flag)
{
	if (json_object_is_type(flag, json_type_string) &&
	    endpoint_flag_by_name(json_object_get_string(flag)))
		return 0;
	return reader_fail(read, reader_line(flag),
			   "unknown flag; use signal, subflow, backup, fullmesh or laminar");
}

int config_check_each(struct reader *read, struct json_object *array, size_t most,
		      int (*check)(struct reader *read, struct json_object *entry))
{
	int err = 0;

	if (!json_object_is_type(array, json_type_array))
		return reader_fail(read, reader_line(array), "must be an array");
	if (json_object_array_length(array) > most)
		return reader_fail(read, reader_line(array), "has more than %zu entries", most);
	for (size_t i = 0; !err && i < json_object_array_length(array); i++) {
		reader_enter_element(read, array, i);
		err = check(read, json_object_array_get_idx(array, i));
		reader_leave(read);
	}
	return err;
}

/* True if a network interface can have the address. */
static bool is_of_one(const struct in6_addr *ip)
{
	const unsigned char first = ip->s6_addr[12];

	if (address_is_v4(ip))
		return first && (first < 224);
	return !IN6_IS_ADDR_UNSPECIFIED(ip) && !IN6_IS_ADDR_MULTICAST(ip);
}

static int check_address(struct reader *read, struct json_object *value)
{
	struct in6_addr ip;

	/* Do not resolve the zone: it belongs to the namespace of the plan. */
	if (!json_object_is_type(value, json_type_string) ||
	    address_parse_ip(json_object_get_string(value), &ip))
		return reader_fail(read, reader_line(value), "must be an IP address");
	if (!is_of_one(&ip))
		return reader_fail(read, reader_line(value),
				   "must be an address that a network interface can have");
	return 0;
}

static int check_dev(struct reader *read, struct json_object *value)
{
	const char *name = json_object_get_string(value);

	if (!json_object_is_type(value, json_type_string) || !*name || strlen(name) >= IFNAMSIZ ||
	    strpbrk(name, "/ \t"))
		return reader_fail(read, reader_line(value),
				   "must be the name of a network interface");
	return 0;
}

static int check_endpoint_key(struct reader *read, const char *key, struct json_object *value)
{
	if (!strcmp(key, "address"))
		return check_address(read, value);
	if (!strcmp(key, "dev"))
		return check_dev(read, value);
	if (!strcmp(key, "flags"))
		return config_check_each(read, value, SIZE_MAX, check_flag);
	if (!strcmp(key, "id"))
		return config_check_int(read, value, 1, 255);
	if (!strcmp(key, "port"))
		return config_check_int(read, value, 1, 65535);
	return unknown_key(read, value, "address, dev, flags, id, port");
}

int64_t config_flags(struct json_object *endpoint, int64_t otherwise)
{
	struct json_object *flags;
	int64_t result = 0;

	if (!json_object_object_get_ex(endpoint, "flags", &flags))
		return otherwise;
	for (size_t i = 0; i < json_object_array_length(flags); i++)
		result |= endpoint_flag_by_name(
			json_object_get_string(json_object_array_get_idx(flags, i)));
	return result;
}

/* Refuse what the kernel refuses (net/mptcp/pm_kernel.c). */
static int check_combination(struct reader *read, struct json_object *endpoint)
{
	const unsigned int port = json_object_object_get_ex(endpoint, "port", NULL);

	switch (endpoint_conflict(config_flags(endpoint, 0), port)) {
	case ENDPOINT_CONFLICT_MESH:
		return reader_fail(read, reader_line(endpoint),
				   "flags signal and fullmesh exclude each other");
	case ENDPOINT_CONFLICT_PORT:
		return reader_fail(read, reader_line(endpoint),
				   "\"port\" requires the flag signal, since it is announced");
	case ENDPOINT_CONFLICT_NONE:
		break;
	}
	return 0;
}

static int check_endpoint(struct reader *read, struct json_object *endpoint)
{
	int err = config_check_members(read, endpoint, check_endpoint_key);

	if (err)
		return err;
	if (!json_object_object_get_ex(endpoint, "address", NULL))
		return reader_fail(read, reader_line(endpoint), "\"address\" is missing");
	return check_combination(read, endpoint);
}

static int check_endpoints(struct reader *read, struct json_object *endpoints)
{
	if (json_object_is_type(endpoints, json_type_array) &&
	    json_object_array_length(endpoints) > ENDPOINTS_MAX)
		return reader_fail(read, reader_line(endpoints),
				   "kernels support at most %d endpoints", ENDPOINTS_MAX);
	return config_check_each(read, endpoints, ENDPOINTS_MAX, check_endpoint);
}

/* Uses only the names of the table: the code of the rules is in a higher layer than this one. */
static bool is_rule(const char *name)
{
	static const char *const names[] = {
#define RULE_NAME(id, severity, sides, function, title) #id,
#define FORMER_NAME(id, now) #id,
		RULES(RULE_NAME) FORMER_RULES(FORMER_NAME)
#undef FORMER_NAME
#undef RULE_NAME
			NULL,
	};

	return str_in_list(names, name);
}

/* A rule of nvme mptcp check whose findings are ignored. */
static int check_rule(struct reader *read, struct json_object *rule)
{
	if (json_object_is_type(rule, json_type_string) && is_rule(json_object_get_string(rule)))
		return 0;
	return reader_fail(read, reader_line(rule), "unknown rule; %s explain lists them",
			   snapshot_program());
}

static int check_key(struct reader *read, const char *key, struct json_object *value)
{
	if (!strcmp(key, "limits"))
		return config_check_members(read, value, check_limit);
	if (!strcmp(key, "endpoints"))
		return check_endpoints(read, value);
	if (!strcmp(key, "ignore"))
		return config_check_each(read, value, SIZE_MAX, check_rule);
	if (!strcmp(key, "relay"))
		return config_check_relay(read, value);
	return unknown_key(read, value, "limits, endpoints, ignore, relay");
}

int config_check(struct reader *read, struct json_object *json)
{
	return config_check_members(read, json, check_key);
}
