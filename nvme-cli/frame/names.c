// SPDX-License-Identifier: GPL-2.0-or-later
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

const struct name *name_by_word(const struct name *names, const char *word)
{
	const struct name *found = NULL;
	const size_t length = strlen(word);
	bool several = false;

	for (; length && names->name; names++) {
		if (!names->word || strncasecmp(names->word, word, length) != 0)
			continue;
		if (!names->word[length])
			return names;
		several |= found && found->value != names->value;
		found = names;
	}
	return several ? NULL : found;
}

int name_value(const struct name *names, const char *word, unsigned int max, unsigned int *value)
{
	const struct name *found = name_by_word(names, word);
	unsigned long number;
	char *end;

	if (found) {
		*value = found->value;
		return 0;
	}
	errno = 0;
	number = strtoul(word, &end, 0);
	if (errno || end == word || *end || strchr(word, '-') || number > max)
		return -EINVAL;
	*value = (unsigned int)number;
	return 0;
}
