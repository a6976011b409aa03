/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Define public functions that return a member of their object:
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
