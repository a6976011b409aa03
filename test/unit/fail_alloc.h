/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Allocations that fail on demand: the linker leads the library's calls here (--wrap). */
#pragma once

/* Makes the allocation after @n others fail, and only that one; n < 0: none any more. */
void fail_alloc_after(long n);

/* Did it come to that, since the last time that @n was not negative? */
_Bool fail_alloc_happened(void);

/*
 * Runs @once for each of its allocations in turn, until none fails any more: first with that one
 * failing alone, then with all that follow it. It calls fail_alloc_begin() when its stage is set and
 * fail_alloc_end() when its result is there, and says whether it got that. The run in which nothing
 * failed must succeed.
 */
void fail_alloc_each(_Bool (*once)(void));
void fail_alloc_begin(void);
void fail_alloc_end(void);

/* A test whose body is run so, and returns whether it got its result. */
#define ALLOC_TEST(name) \
	static _Bool name##_once(void); \
	TEST(name) \
	{ \
		fail_alloc_each(name##_once); \
	} \
	static _Bool name##_once(void)

/* Makes each fdopendir() fail with @err, ENOENT as for a process that has ended; 0: none any more. */
void fail_fdopendir(int err);
