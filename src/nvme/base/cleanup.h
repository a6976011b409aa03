/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ownership transfer for variables with _cleanup_():
 *
 *	_cleanup_(free) char *path = NULL;
 *	return steal_ptr(&path);	the caller owns it now
 */
#pragma once

#include "shared/cleanup.h"

/* Return *object and set it to NULL. */
#define steal_ptr(object) \
	({ \
		__typeof__(*(object)) stolen = *(object); \
		*(object) = NULL; \
		stolen; \
	})

static inline int steal_fd(int *fd)
{
	int stolen = *fd;

	*fd = -1;
	return stolen;
}
