/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a command printed is text that a terminal can show, or JSON; whatever it was given. */
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "printed.h"

/* Behind what the fuzzer prints, whose stream the command may have at present. */
void printed_refuse(const char *what, const char *text, size_t n)
{
	dprintf(STDERR_FILENO, "%s:\n%.*s\n", what, (int)n, text);
	abort();
}

/* Beyond ASCII there are degrees and quotation marks only: how many bytes. */
static size_t sign_at(const char *text, size_t n)
{
	static const char *const signs[] = { "\u00b0", "\u2018", "\u2019" };

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (n >= strlen(signs[i]) && !memcmp(text, signs[i], strlen(signs[i])))
			return strlen(signs[i]);
	return 0;
}

void printed_check_text(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const size_t sign = sign_at(text + i, n - i);

		if (sign)
			i += sign - 1;
		else if ((text[i] < 0x20 && text[i] != '\n' && text[i] != '\t') || text[i] == 0x7f)
			printed_refuse("bytes that are no text", text, n);
	}
}

/* Documents one after another, with nothing between but white space. */
static bool parse_documents(const char *text, size_t n, int flags)
{
	struct json_tokener *tokener = json_tokener_new_ex(64);
	bool parsed = true;

	if (!tokener)
		abort();
	json_tokener_set_flags(tokener, flags);
	for (size_t at = 0; parsed && at < n && text[at + strspn(text + at, " \n")];) {
		json_object_put(json_tokener_parse_ex(tokener, text + at, (int)(n - at)));
		parsed = json_tokener_get_error(tokener) == json_tokener_success;
		at += json_tokener_get_parse_end(tokener);
		json_tokener_reset(tokener);
	}
	json_tokener_free(tokener);
	return parsed;
}

/* As many digits as fit any integer of json-c. */
#define MAX_DIGITS 18

/*
 * A strict json-c 0.18 takes every byte from 0x80 for a control character, and refuses integers beyond 64
 * bits. So UTF-8 is validated without that, and the grammar with letters and fewer digits instead.
 */
void printed_check_json(const char *text, size_t n)
{
	char *ascii = strndup(text, n);
	size_t digits = 0;

	if (!ascii)
		abort();
	for (char *c = ascii; *c; c++) {
		digits = *c >= '0' && *c <= '9' ? digits + 1 : 0;
		if ((unsigned char)*c >= 0x80)
			*c = 'x';
		else if (digits > MAX_DIGITS)
			*c = ' ';
	}
	if (!parse_documents(text, n, JSON_TOKENER_VALIDATE_UTF8) ||
	    !parse_documents(ascii, strlen(ascii),
			     JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS))
		printed_refuse("no JSON", text, n);
	free(ascii);
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < 0x20 && text[i] != '\n' && text[i] != '\t')
			printed_refuse("control bytes in JSON", text, n);
}
