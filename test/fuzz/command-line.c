/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A command line against a table that has every type of option; and its words made harmless, as text
 * and as JSON. */
#include <stdio.h>

#include "fuzz.h"

/* Messages are many, and the fuzzer's own go to standard error. */
static FILE *sink;

#undef stderr
#define stderr sink

#include "../../src/input/args.c"
#include "../../src/input/escape.c"
#include "../../src/shared/suggest.c"
#include "shared/json-stream.h"
#include "shared/text.h"

#define MAX_WORDS 32

struct values {
	const char *text;
	int number;
	unsigned int word;
	uint8_t byte;
	uint16_t half;
	long big;
	uint64_t size;
	double real;
	bool flag;
	unsigned int count;
};

static const struct arg table[] = {
	OPT(STR, "text", 't', struct values, text, "TEXT", "text"),
	OPT(STR, "text-more", 0, struct values, text, "TEXT", "text"),
	OPT(INT, "number", 'n', struct values, number, "N", "int"),
	OPT(UINT, "word", 'w', struct values, word, "N", "unsigned int"),
	OPT(BYTE, "byte", 'b', struct values, byte, "N", "byte"),
	OPT(SHORT, "half", 'H', struct values, half, "N", "short"),
	OPT(LONG, "big", 'l', struct values, big, "N", "long"),
	OPT(SUFFIX, "size", 's', struct values, size, "N", "with suffix"),
	OPT(DOUBLE, "real", 'd', struct values, real, "N", "double"),
	OPT_FLAG("flag", 'f', struct values, flag, "flag"),
	OPT(COUNT, "count", 'c', struct values, count, NULL, "count"),
	OPT_VERBOSE,
	OPT_END,
};

static void check_printable(const char *word)
{
	char *escaped = escape_text(word, strlen(word)), *json;
	struct json_stream stream = { 0 };

	stream_string(&stream, NULL, word);
	json = stream_finish(&stream);
	if (!escaped || !json)
		abort();
	for (const char *p = escaped; *p; p++)
		if (*p < 0x20 || *p > 0x7e)
			abort();
	for (const unsigned char *p = (const void *)json; *p;) {
		size_t length = text_utf8_length((const char *)p, strlen((const char *)p));

		if (!length || *p < 0x20 || *p == 0x7f)
			abort();
		if (*p == 0xc2 && p[1] < 0xa0) /* C1 controls */
			abort();
		p += length;
	}
	free(escaped);
	free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct common_args common = { 0 };
	struct args_result result = { 0 };
	char *words[MAX_WORDS + 1] = { (char *)"fuzz" };
	struct values values = { 0 };
	char *text = malloc(size + 1);
	int n = 1;

	if (!sink)
		sink = fopen("/dev/null", "w");
	if (!sink || !text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	for (char *p = text; p < text + size && n < MAX_WORDS; p += strlen(p) + 1) {
		check_printable(p);
		words[n++] = p;
	}
	if (!args_parse(table, n, words, &values, &common, &result) && !result.help) {
		if (result.argc < 0 || result.argc >= n)
			abort();
		for (int i = 0; i < result.argc; i++)
			if (!result.argv[i])
				abort();
	}
	free(text);
	return 0;
}
