/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "objects.h"

/* Where the made-up /sys is differs from run to run. */
static const char *shortened(const char *text)
{
	const char *sys = text ? strstr(text, "/sysfs/sys/") : NULL;

	return !text ? "(none)" : sys ? sys + strlen("/sysfs") : text;
}

void objects_text(const char *call, const char *of, const char *text)
{
	printf("%s [%s] = \"%s\"\n", call, of, shortened(text));
}

void objects_owned(const char *call, const char *of, char *text)
{
	objects_text(call, of, text);
	free(text);
}

void objects_number(const char *call, const char *of, long long number)
{
	printf("%s [%s] = %lld\n", call, of, number);
}

void objects_result(const char *call, const char *of, long long result)
{
	printf("%s [%s] = %lld", call, of, result);
	if (result < 0)
		printf(" errno %d", errno);
	putchar('\n');
}

void objects_bytes(const char *call, const char *of, const void *bytes, size_t size)
{
	const unsigned char *p = bytes;

	printf("%s [%s] =", call, of);
	for (size_t i = 0; p && i < size; i++)
		printf(" %02x", p[i]);
	puts(p ? "" : " (none)");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {
		{ "tree", objects_tree },     { "values", objects_values },
		{ "keys", objects_keys },     { "fabrics", objects_fabrics },
		{ "config", objects_config }, { "logs", objects_logs },
	};

	setvbuf(stdout, NULL, _IONBF, 0);
	for (size_t i = 0; argc == 2 && i < sizeof(parts) / sizeof(*parts); i++) {
		if (strcmp(argv[1], parts[i].name))
			continue;
		parts[i].run();
		return EXIT_SUCCESS;
	}
	return EXIT_FAILURE;
}
