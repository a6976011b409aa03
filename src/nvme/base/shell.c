// SPDX-License-Identifier: LGPL-2.1-or-later
/* Words for a shell: POSIX, Shell Command Language, 2.2 Quoting. */
#include <stdlib.h>
#include <string.h>

#include "shell.h"

bool shell_is_word(const char *word)
{
	const char *plain =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:-_+/@%,=";

	return *word && !word[strspn(word, plain)];
}

const char *shell_word(const char *word, char *text, size_t size)
{
	char *at = text, *end = text + size;

	if (shell_is_word(word))
		return word;
	*at++ = '\'';
	/* Room for the longest of a byte, the last quote and the end. */
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
