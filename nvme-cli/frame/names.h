/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that the specification gives to numbers. */
#pragma once

#include <stddef.h>

struct name {
	unsigned int value;
	const char *name; /* NULL ends a table */
	const char *word; /* its word on the command line, or NULL */
};

/* The name of @value, or "Unknown". */
const char *name_of(const struct name *names, unsigned int value);

/* The name of @value, or @otherwise. */
const char *name_or(const struct name *names, unsigned int value, const char *otherwise);

/*
 * The row whose word is @word, or the only value that a word beginning with @word has, in upper or lower
 * case, as in nvme-cli 2.x; NULL: none.
 */
const struct name *name_by_word(const struct name *names, const char *word);

/* The value that @word stands for: its word (see name_by_word()), or a number. 0, or -EINVAL. */
int name_value(const struct name *names, const char *word, unsigned int max, unsigned int *value);
