/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cmocka, and what nearly every test of it uses. */
#pragma once

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * A test of the program: TEST(what_it_shows) { ... }, where cmocka's state is called so. They run in
 * the order of their lines. EACH_TEST names what comes before and behind every one of them, ALL_TESTS
 * what comes before and behind them all; either may be NULL.
 */
#define TEST(name) \
	static void name(void **state); \
	__attribute__((constructor)) static void name##_is_a_test(void) \
	{ \
		unit_add(__LINE__, #name, name); \
	} \
	static void name(void **state)
#define EACH_TEST(setup, teardown) \
	__attribute__((constructor)) static void frame_of_each(void) \
	{ \
		unit_each_setup = setup; \
		unit_each_teardown = teardown; \
	}
#define ALL_TESTS(setup, teardown) \
	__attribute__((constructor)) static void frame_of_all(void) \
	{ \
		unit_all_setup = setup; \
		unit_all_teardown = teardown; \
	}

extern CMFixtureFunction unit_each_setup, unit_each_teardown, unit_all_setup, unit_all_teardown;
void unit_add(int line, const char *name, CMUnitTestFunction test);

/* The call returns -1, or NULL, and errno says why. */
#define ASSERT_FAILS(call, err) \
	do { \
		errno = 0; \
		assert_int_equal(call, -1); \
		assert_int_equal(errno, err); \
	} while (0)
#define ASSERT_NONE(call, err) \
	do { \
		errno = 0; \
		assert_null(call); \
		assert_int_equal(errno, err); \
	} while (0)

/* For a test of sizes and layouts that are those of 64-bit machines. */
#define skip_on_32_bit() \
	do { \
		if (sizeof(void *) < sizeof(uint64_t)) \
			skip(); \
	} while (0)
