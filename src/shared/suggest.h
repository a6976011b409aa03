/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known name that a mistyped word stands for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Considers one known name after the other and keeps the closest. Names are borrowed.
 * The word is "close" to a name that it becomes by few typing errors: a letter too many, missing,
 * wrong, or swapped with its neighbour.
 */
struct suggestion {
	const char *word; /* as it was typed */
	const char *name; /* the closest, or NULL if nothing is close */
	size_t distance; /* how many typing errors make the difference */
};

#define SUGGESTION_FOR(word_) \
	{ \
		.word = word_ \
	}

void suggestion_consider(struct suggestion *s, const char *name);
