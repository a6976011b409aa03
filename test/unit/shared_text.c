// SPDX-License-Identifier: LGPL-2.1-or-later
/* Text written into memory is complete, or known not to be. */
#include <stdbool.h>

#include "unit.h"
#include "fail_alloc.h"
#include "shared/cleanup.h"
#include "shared/text.h"

/* More than any buffer of the C library. */
#define NUMBERS 5000

static char *write_numbers(void)
{
	_cleanup_(text_wipe) struct text text = { 0 };
	FILE *out = text_open(&text);

	for (int i = 0; out && i < NUMBERS; i++)
		fprintf(out, "%04d\n", i);
	if (text_close(&text))
		return NULL;
	assert_int_equal(text.length, strlen(text.bytes));
	return text_take(&text);
}

static void check_numbers(const char *text)
{
	assert_int_equal(strlen(text), 5 * NUMBERS);
	for (int i = 0; i < NUMBERS; i++)
		assert_int_equal(atoi(text + 5 * i), i);
}

TEST(test_empty)
{
	_cleanup_(text_wipe) struct text text = { 0 };

	assert_non_null(text_open(&text));
	assert_int_equal(text_close(&text), 0);
	assert_string_equal(text.bytes, "");
	assert_int_equal(text.length, 0);
}

ALLOC_TEST(test_memory)
{
	char *text;

	fail_alloc_begin();
	text = write_numbers();
	fail_alloc_end();
	if (text)
		check_numbers(text);
	free(text);
	return text;
}

ALLOC_TEST(test_copy)
{
	char *text = NULL, *none = NULL;
	int err;

	fail_alloc_begin();
	err = text_copy(&text, "words");
	fail_alloc_end();
	assert_int_equal(err, text ? 0 : -ENOMEM);
	if (text)
		assert_string_equal(text, "words");
	free(text);
	assert_int_equal(text_copy(&none, NULL), 0);
	assert_null(none);
	return !err;
}
