// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suggest.h"

#define MAX_WORD 40 /* longer words are not compared */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Return the number of typing errors between two words: the optimal string alignment distance. */
static size_t distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), rows[3][MAX_WORD + 1];

	for (size_t j = 0; j <= m; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			row[j] = least(least(above[j], row[j - 1]) + 1,
				       above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return rows[n % 3][m];
}

void suggestion_consider(struct suggestion *s, const char *name)
{
	size_t length = strlen(s->word), errors;

	if (!length || length > MAX_WORD || strlen(name) > MAX_WORD)
		return;
	errors = distance(s->word, name);
	/* Almost every name is within two errors of a short word. */
	if (errors > (length < 4 ? 1U : length < 8 ? 2U : 3U) || errors >= strlen(name))
		return;
	if (s->name && errors >= s->distance)
		return;
	s->name = name;
	s->distance = errors;
}
