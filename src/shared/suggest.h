/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find the known name nearest to a mistyped word. */
#pragma once

#include "shared/std.h"

/*
 * The closest of the names passed to suggestion_consider(). Names are borrowed. A name is close to
 * the word if few typing errors separate them: a letter too many, missing, wrong, or swapped with
 * its neighbour.
 */
struct suggestion {
	const char *word; /* the word as typed */
	const char *name; /* the closest name, or NULL if none is close */
	size_t distance; /* number of typing errors between them */
};

#define SUGGESTION_FOR(word_) \
	{ \
		.word = word_ \
	}

void suggestion_consider(struct suggestion *s, const char *name);
