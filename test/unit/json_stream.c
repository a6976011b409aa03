// SPDX-License-Identifier: LGPL-2.1-or-later
/* JSON written straight into a buffer: what comes out is valid whatever goes in. */
#include <json-c/json.h>

#include "unit.h"
#include "shared/json-stream.h"

static void assert_document(struct json_stream *s, const char *expected)
{
	char *text = stream_finish(s);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
	memset(s, 0, sizeof(*s));
}

static void assert_string(const char *value, const char *expected)
{
	struct json_stream s = { 0 };

	stream_string(&s, NULL, value);
	assert_document(&s, expected);
}

/* DEL and U+009B, which some terminals take for the start of a control sequence. */
TEST(test_terminal_controls)
{
	assert_string("\x7f\xc2\x9b", "\"\\u007f\\u009b\"");
	assert_string("\xc2\xa0", "\"\xc2\xa0\"");
}

#define FFFD "\xef\xbf\xbd"

TEST(test_no_utf8)
{
	assert_string("\xff", "\"" FFFD "\"");
	assert_string("\xc3", "\"" FFFD "\"");
	assert_string("\xc3(", "\"" FFFD "(\"");
	assert_string("\xc0\xaf", "\"" FFFD FFFD "\""); /* too long for what it says */
	assert_string("\xed\xa0\x80", "\"" FFFD FFFD FFFD "\""); /* half of a surrogate pair */
	assert_string("\xf4\x90\x80\x80", "\"" FFFD FFFD FFFD FFFD "\""); /* beyond U+10FFFF */
	assert_string("\xf0\x9f\x98", "\"" FFFD FFFD FFFD "\"");
}

static void fill(struct json_stream *s)
{
	stream_dict(s, NULL);
	stream_int64(s, "least", INT64_MIN);
	stream_uint64(s, "most", UINT64_MAX);
	stream_string(s, "a \"key\"", "value");
	stream_list(s, "empty");
	stream_end_list(s);
	stream_dict(s, "none");
	stream_end_dict(s);
	stream_list(s, "list");
	stream_literal(s, NULL, "0.25");
	stream_literal(s, NULL, s->pretty ? "{\n  \"in\":[\n    1\n  ]\n}" : "{\"in\":[1]}");
	stream_end_list(s);
	stream_end_dict(s);
}

TEST(test_layout)
{
	struct json_stream s = { .pretty = true };

	fill(&s);
	assert_document(&s, "{\n  \"least\":-9223372036854775808,\n"
			    "  \"most\":18446744073709551615,\n  \"a \\\"key\\\"\":\"value\",\n"
			    "  \"empty\":[],\n  \"none\":{},\n  \"list\":[\n    0.25,\n"
			    "    {\n      \"in\":[\n        1\n      ]\n    }\n  ]\n}");
	fill(&s);
	assert_document(&s, "{\"least\":-9223372036854775808,\"most\":18446744073709551615,"
			    "\"a \\\"key\\\"\":\"value\",\"empty\":[],\"none\":{},"
			    "\"list\":[0.25,{\"in\":[1]}]}");
}

TEST(test_restart)
{
	struct json_stream s = { 0 };

	stream_dict(&s, NULL);
	stream_string(&s, "lost", "value");
	stream_restart(&s);
	stream_list(&s, NULL);
	stream_end_list(&s);
	assert_document(&s, "[]");
}

TEST(test_too_deep)
{
	struct json_stream s = { 0 };

	for (int i = 0; i <= STREAM_MAX_DEPTH; i++)
		stream_list(&s, NULL);
	for (int i = 0; i <= STREAM_MAX_DEPTH; i++)
		stream_end_list(&s);
	ASSERT_NONE(stream_finish(&s), ENOMEM);
}

/*
 * Another reader understands every string of two bytes, and control characters are written as escapes.
 * JSON_TOKENER_STRICT would find the latter, too, but json-c 0.18 takes every byte from 0x80 for one.
 */
TEST(test_every_pair)
{
	for (int first = 1; first < 256; first++) {
		for (int second = 0; second < 256; second++) {
			char value[3] = { (char)first, (char)second, '\0' };
			struct json_stream s = { 0 };
			struct json_tokener *tokener = json_tokener_new();
			struct json_object *node;
			char *text;

			stream_string(&s, NULL, value);
			text = stream_finish(&s);
			assert_non_null(text);
			for (const char *p = text; *p; p++)
				assert_false((unsigned char)*p < ' ');
			json_tokener_set_flags(tokener, JSON_TOKENER_VALIDATE_UTF8);
			node = json_tokener_parse_ex(tokener, text, (int)strlen(text) + 1);
			assert_true(json_object_is_type(node, json_type_string));
			json_object_put(node);
			json_tokener_free(tokener);
			free(text);
		}
	}
}
