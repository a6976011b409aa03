/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of an interface that return a member of their object, a row each:
 *
 *	GETTER(const char *, nvme_ctrl_get_name, nvme_ctrl_t, name);
 */
#pragma once

#define GETTER(type, function, handle, member) \
	type function(handle object) \
	{ \
		return object->member; \
	} \
	struct getter_semicolon_##function
