/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names in commands that are printed for a shell: of links, namespaces, subsystems, of any origin. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Bytes that a word of @n bytes takes at most, its end included. */
#define SHELL_WORD(n) (4 * (n) + 15)

/* Does a shell take @word for one word, and as it stands? */
bool shell_is_word(const char *word);

/*
 * @word as a shell takes it for one word, in characters that can be shown: itself if nothing in it
 * means anything to a shell, else in single quotes, or "$(printf 'eth\3031')", in @text, whose @size is
 * at least SHELL_WORD(strlen(@word)).
 */
const char *shell_word(const char *word, char *text, size_t size);

/* The same in memory of its own, to be freed; NULL without memory, or of NULL. */
char *shell_quote(const char *word);
