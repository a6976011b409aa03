// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

const char *name_or(const struct name *names, unsigned int value, const char *otherwise)
{
	for (; names->name; names++)
		if (names->value == value)
			return names->name;
	return otherwise;
}

const char *name_of(const struct name *names, unsigned int value)
{
	return name_or(names, value, "Unknown");
}

int name_value(const struct name *names, const char *word, unsigned int max, unsigned int *value)
{
	unsigned long number;
	char *end;

	for (; names->name; names++) {
		if (names->word && !strcmp(names->word, word)) {
			*value = names->value;
			return 0;
		}
	}
	errno = 0;
	number = strtoul(word, &end, 0);
	if (errno || end == word || *end || strchr(word, '-') || number > max)
		return -EINVAL;
	*value = (unsigned int)number;
	return 0;
}
