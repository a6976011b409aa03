/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What somebody meant who typed a word that is none. */
#ifndef SUGGEST_H
#define SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Looks at one known name after the other; what came closest so far is kept. Names are borrowed.
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

#endif /* SUGGEST_H */
