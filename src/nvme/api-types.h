/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arguments of the commands that take a structure.
 *
 * Every structure carries its own size in args_size, so that it can grow without breaking programs
 * that were built against an older header.
 */
#ifndef _LIBNVME_API_TYPES_H
#define _LIBNVME_API_TYPES_H

#include "types/args-admin.h"
#include "types/args-io.h"

#endif /* _LIBNVME_API_TYPES_H */
