/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Release what a function owns at the end of its scope, for libraries and programs.
 *
 *	_cleanup_(free) char *path = NULL;
 */
#pragma once

#include <dirent.h>
#include "shared/std.h"

#define _cleanup_(func) __attribute__((cleanup(func##_cleanup)))

/* Define func##_cleanup() for a release function that takes the object itself. */
#define DEFINE_CLEANUP(type, func) \
	static inline void func##_cleanup(type *object) \
	{ \
		if (*object) \
			func(*object); \
	} \
	struct cleanup_semicolon_##func

static inline void free_cleanup(void *object)
{
	free(*(void **)object);
}

/* Preserve errno, so that a failing function can set it before its descriptor is closed. */
static inline void close_cleanup(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

DEFINE_CLEANUP(FILE *, fclose);
DEFINE_CLEANUP(DIR *, closedir);
