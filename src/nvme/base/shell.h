/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Quoting for commands that are printed to be pasted into a shell: names of interfaces, namespaces
 * and subsystems may contain any character.
 */
#pragma once

#include "shared/std.h"

/* Size of the buffer for a quoted word of @n bytes, with the NUL. */
#define SHELL_WORD(n) (4 * (n) + 15)

/* True if a shell reads @word as one word, without quoting. */
bool shell_is_word(const char *word);

/*
 * Return @word quoted for a shell, in printable characters only: @word itself if it has no special
 * characters, otherwise single-quoted or "$(printf 'eth\3031')" in @text, whose @size is at least
 * SHELL_WORD(strlen(@word)).
 */
const char *shell_word(const char *word, char *text, size_t size);

/* Like shell_word(), but return allocated memory. NULL if @word is NULL or out of memory. */
char *shell_quote(const char *word);
