// SPDX-License-Identifier: LGPL-2.1-or-later
/* Quoting for a shell: POSIX, Shell Command Language, 2.2 Quoting. */
#include "shell.h"

bool shell_is_word(const char *word)
{
	const char *plain =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:-_+/@%,=";

	/* zsh expands "=ls" to the path of ls. */
	return *word && *word != '=' && !word[strspn(word, plain)];
}

static bool is_printable_char(char c)
{
	return c >= ' ' && c <= '~';
}

static bool all_printable(const char *word)
{
	while (is_printable_char(*word))
		word++;
	return !*word;
}

#define PRINTED "\"$(printf '"

/* Output escapes these characters, so that they cannot be pasted: write octals for printf(1). */
static const char *print_word(const char *word, char *text, size_t size)
{
	char *at = text, *end = text + size;

	memcpy(at, PRINTED, sizeof(PRINTED) - 1);
	at += sizeof(PRINTED) - 1;
	/* Leave space for an escaped byte, the suffix and the NUL. */
	for (; *word && end - at >= 8; word++) {
		const unsigned char c = (unsigned char)*word;

		if (is_printable_char(*word) && !strchr("\\'%-", *word)) {
			*at++ = *word;
			continue;
		}
		*at++ = '\\';
		*at++ = (char)('0' + (c >> 6));
		*at++ = (char)('0' + (c >> 3 & 7));
		*at++ = (char)('0' + (c & 7));
	}
	memcpy(at, "')\"", 4);
	return text;
}

const char *shell_word(const char *word, char *text, size_t size)
{
	char *at = text, *end = text + size;

	if (shell_is_word(word))
		return word;
	if (!all_printable(word) && size >= sizeof(PRINTED) + 3)
		return print_word(word, text, size);
	*at++ = '\'';
	/* Leave space for an escaped byte, the closing quote and the NUL. */
	for (; *word && end - at >= 6; word++) {
		if (*word == '\'') {
			memcpy(at, "'\\''", 4);
			at += 4;
		} else {
			*at++ = *word;
		}
	}
	memcpy(at, "'", 2);
	return text;
}

char *shell_quote(const char *word)
{
	const size_t size = word ? SHELL_WORD(strlen(word)) : 0;
	char *text = word ? malloc(size) : NULL;
	const char *quoted;

	if (!text)
		return NULL;
	quoted = shell_word(word, text, size);
	return quoted == text ? text : memcpy(text, quoted, strlen(quoted) + 1);
}
