/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the library adds to scope-bound release: handing over.
 *
 *	_cleanup_(free) char *path = NULL;
 *	return steal_ptr(&path);	ownership goes to the caller
 */
#pragma once

#include "shared/cleanup.h"

/* Hands *object over and leaves NULL behind. */
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
