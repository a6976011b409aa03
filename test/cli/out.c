// SPDX-License-Identifier: LGPL-2.1-or-later
/* The renderer: the same calls in text and in JSON. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../unit/fail_alloc.h"
#include "frame/out.h"

typedef void (*script_t)(struct out *out);

/* What the run that lacks memory is to print. */
static struct {
	script_t script;
	enum out_format format;
	const char *expected;
} lacking;

/* Where memory is lacking, what is printed is whole or the result says that it is not. */
static bool print_without_memory(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	struct out *out;
	int err = -ENOMEM;

	fail_alloc_begin();
	out = out_new(lacking.format, stream);
	if (out) {
		lacking.script(out);
		err = out_finish(out);
	}
	fail_alloc_end();
	out_free(out);
	fclose(stream);
	if (err)
		assert_int_equal(err, -ENOMEM);
	else
		assert_string_equal(text, lacking.expected);
	free(text);
	return !err;
}

/* What a script prints becomes @text, to be freed; the result is that of the end. */
static int render(script_t script, enum out_format format, char **text)
{
	size_t size = 0;
	FILE *stream = open_memstream(text, &size);
	struct out *out = out_new(format, stream);
	int err;

	assert_non_null(out);
	script(out);
	err = out_finish(out);
	out_free(out);
	fclose(stream);
	return err;
}

static void check(script_t script, enum out_format format, const char *expected)
{
	char *text;

	assert_int_equal(render(script, format, &text), 0);
	assert_string_equal(text, expected);
	free(text);

	lacking.script = script;
	lacking.format = format;
	lacking.expected = expected;
	fail_alloc_each(print_without_memory);
}

static void listing(struct out *out)
{
	static const struct out_flag names[] = { { 1, "subflow" }, { 2, "backup" }, { 0, NULL } };

	out_listing(out, NULL, OUT_COLON_PAD, 9);
	out_str(out, "trtype", "mptcp");
	out_str(out, "adrfam", "");
	out_hex(out, "key", 0xffff, 4);
	out_flags(out, "flags", 0x11, names);
	out_label(out, "Power");
	out_double_as(out, "power", 2.5, "%.2f W", 2.5);
	out_uint(out, "big", UINT64_MAX);
	out_bool(out, "on", true);
	out_unknown(out, "who");
	out_json_only(out);
	out_int(out, "hidden", -1);
	out_end(out);
}

static void test_listing(void **state)
{
	check(listing, OUT_TEXT,
	      "trtype:  mptcp\n"
	      "adrfam:  \n"
	      "key:     0xffff\n"
	      "flags:   subflow,0x10\n"
	      "Power:   2.50 W\n"
	      "big:     18446744073709551615\n"
	      "on:      yes\n"
	      "who:     \n");
	check(listing, OUT_JSON,
	      "{\n"
	      "  \"trtype\":\"mptcp\",\n"
	      "  \"adrfam\":\"\",\n"
	      "  \"key\":65535,\n"
	      "  \"flags\":[\n"
	      "    \"subflow\",\n"
	      "    \"0x10\"\n"
	      "  ],\n"
	      "  \"power\":2.5,\n"
	      "  \"big\":18446744073709551615,\n"
	      "  \"on\":true,\n"
	      "  \"who\":null,\n"
	      "  \"hidden\":-1\n"
	      "}\n");
}

static void table(struct out *out)
{
	out_object(out, NULL);
	out_text(out, "Endpoints\n");
	out_table(out, "endpoints", "ID:r", "ADDRESS:12", "LINK", "FLAGS");
	for (int i = 8; i < 11; i += 2) {
		out_row(out);
		out_int(out, "id", i);
		out_str(out, "address", "10.1.1.1");
		out_str(out, "link", i == 8 ? NULL : "eth1");
		out_flags(out, "flags", 0, (const struct out_flag[]){ { 0, NULL } });
	}
	out_end(out);
	out_end(out);
}

static void test_table(void **state)
{
	check(table, OUT_TEXT,
	      "Endpoints\n"
	      "ID  ADDRESS       LINK  FLAGS\n"
	      " 8  10.1.1.1      -     -\n"
	      "10  10.1.1.1      eth1  -\n");
	check(table, OUT_JSON,
	      "{\n"
	      "  \"endpoints\":[\n"
	      "    {\n"
	      "      \"id\":8,\n"
	      "      \"address\":\"10.1.1.1\",\n"
	      "      \"link\":null,\n"
	      "      \"flags\":[]\n"
	      "    },\n"
	      "    {\n"
	      "      \"id\":10,\n"
	      "      \"address\":\"10.1.1.1\",\n"
	      "      \"link\":\"eth1\",\n"
	      "      \"flags\":[]\n"
	      "    }\n"
	      "  ]\n"
	      "}\n");
}

static void ruled(struct out *out)
{
	out_table(out, NULL, "Node:6", "NS:r4");
	out_table_rule(out);
	out_table_always(out);
	out_end(out);
}

static void test_rule(void **state)
{
	check(ruled, OUT_TEXT,
	      "Node     NS\n"
	      "------ ----\n");
	check(ruled, OUT_JSON, "[]\n");
}

static void hostile(struct out *out)
{
	out_listing(out, NULL, OUT_PAD_COLON, 4);
	out_str(out, "esc", "\033[2J\x7f\xc2\x9b");
	out_str(out, "bad", "a\xff/\xed\xa0\x80\xc3\xa9");
	out_end(out);
}

static void test_hostile(void **state)
{
	check(hostile, OUT_TEXT,
	      "esc : \\x1b[2J\\x7f\\xc2\\x9b\n"
	      "bad : a\\xff/\\xed\\xa0\\x80\\xc3\\xa9\n");
	check(hostile, OUT_JSON,
	      "{\n"
	      "  \"esc\":\"\\u001b[2J\\u007f\\u009b\",\n"
	      "  \"bad\":\"a\xef\xbf\xbd/\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9\"\n"
	      "}\n");
}

static void failing(struct out *out)
{
	out_array(out, NULL);
	out_object(out, NULL);
	out_str(out, "a", "b");
	if (!out_error(out, "no \"luck\"", "nvme"))
		out_text(out, "to stderr\n");
	if (!out_error(out, "again", NULL))
		out_text(out, "to stderr\n");
	out_end(out);
	out_object(out, NULL);
	out_end(out);
}

static void test_error(void **state)
{
	check(failing, OUT_TEXT, "to stderr\nto stderr\n");
	check(failing, OUT_JSON,
	      "{\n"
	      "  \"error\":\"no \\\"luck\\\"\",\n"
	      "  \"type\":\"nvme\"\n"
	      "}\n");
}

static void events(struct out *out)
{
	out_compact(out);
	for (int i = 0; i < 2; i++) {
		out_object(out, NULL);
		out_text(out, "event %d\n", i);
		out_int(out, "event", i);
		out_json(out, "more", "{\"a\":[1,null]}");
		out_end(out);
	}
}

static void test_events(void **state)
{
	check(events, OUT_TEXT, "event 0\nevent 1\n");
	check(events, OUT_JSON,
	      "{\"event\":0,\"more\":{\"a\":[1,null]}}\n"
	      "{\"event\":1,\"more\":{\"a\":[1,null]}}\n");
}

static void too_deep(struct out *out)
{
	for (int i = 0; i < 100; i++)
		out_array(out, NULL);
	for (int i = 0; i < 100; i++)
		out_end(out);
}

static void row_of_nothing(struct out *out)
{
	out_row(out);
	out_str(out, "a", "b");
	out_end(out);
}

/* A mistake is never half a document that looks whole. */
static void test_misuse(void **state)
{
	static const enum out_format formats[] = { OUT_TEXT, OUT_JSON };
	static const struct {
		script_t script;
		int err;
	} mistakes[] = { { too_deep, -EOVERFLOW }, { row_of_nothing, -EINVAL } };

	for (int i = 0; i < 4; i++) {
		char *text;

		assert_int_equal(render(mistakes[i / 2].script, formats[i % 2], &text),
				 mistakes[i / 2].err);
		assert_string_equal(text, "");
		free(text);
	}
}

static void test_full_disk(void **state)
{
	FILE *stream = fopen("/dev/full", "w");
	struct out *out = out_new(OUT_JSON, stream);

	listing(out);
	assert_int_not_equal(out_finish(out), 0);
	out_free(out);
	fclose(stream);
}

/* What has no colour has no escape sequences either. */
static void test_colours(void **state)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY);
	struct out *out;
	FILE *stream;

	assert_true(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
	stream = fopen(ptsname(terminal), "w");
	assert_non_null(stream);
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	out = out_new(OUT_TEXT, stream);
	assert_string_equal(out_paint(out, OUT_PLAIN, "plain"), "plain");
	assert_string_equal(out_paint(out, OUT_RED, "red"), "\033[31mred\033[0m");
	out_free(out);
	fclose(stream);
	close(terminal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listing), cmocka_unit_test(test_table),
		cmocka_unit_test(test_rule),	cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_error),	cmocka_unit_test(test_events),
		cmocka_unit_test(test_misuse),	cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_colours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
