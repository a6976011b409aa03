/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Define public functions that return a member of their object, return an expression of "object",
 * or set a member:
 *
 *	GETTER(const char *, nvme_ctrl_get_name, nvme_ctrl_t, name);
 *	GETTER_OF(nvme_ns_head_t, nvme_ns_get_head, nvme_ns_t, &object->head);
 *	SETTER(bool, nvme_ctrl_set_discovered, nvme_ctrl_t, discovered);
 */
#pragma once

#include "shared/std.h"

#define GETTER_OF(type, function, handle, expression) \
	type function(handle object) \
	{ \
		return expression; \
	} \
	struct getter_semicolon_##function

#define GETTER(type, function, handle, member) GETTER_OF(type, function, handle, object->member)

#define SETTER(type, function, handle, member) \
	void function(handle object, type value) \
	{ \
		object->member = value; \
	} \
	struct getter_semicolon_##function
