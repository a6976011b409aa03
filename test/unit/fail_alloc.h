/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Allocations that fail on demand. The linker leads the library's calls here (--wrap), and those of
 * the C library that allocate for it.
 */
#ifndef TEST_FAIL_ALLOC_H
#define TEST_FAIL_ALLOC_H

/* Makes the allocation after @n others fail, and only that one; n < 0: none any more. */
void fail_alloc_after(long n);

/* Did it come to that, since the last time that @n was not negative? */
_Bool fail_alloc_happened(void);

#endif /* TEST_FAIL_ALLOC_H */
