/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cmocka, and what nearly every test of it uses. */
#ifndef UNIT_H
#define UNIT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* For a test of sizes and layouts that are those of 64-bit machines. */
#define skip_on_32_bit() \
	do { \
		if (sizeof(void *) < sizeof(uint64_t)) \
			skip(); \
	} while (0)

#endif
