// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a program leaves in its memory. Loaded before the program, it looks through all that is freed,
 * and in the end through all that can be written but the stack: the command line is there, and what
 * functions of libraries have left.
 *
 *	$LEFT_SOUGHT	hexadecimal digits of what must not be there, each byte with 0x5a added by XOR,
 *			so that the environment does not have it
 *	$LEFT_FILE	where it is said what has it
 */
#undef _FILE_OFFSET_BITS

#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 128
#define MASK 0x5a

void __libc_free(void *memory);

static unsigned char sought[MOST];
static size_t length;
static bool freed;

static unsigned int digit(char c)
{
	return c <= '9' ? (unsigned int)(c - '0') : (unsigned int)(c - 'a') + 10;
}

__attribute__((constructor)) static void begin(void)
{
	const char *digits = getenv("LEFT_SOUGHT");

	if (!digits || strlen(digits) > 2 * sizeof(sought))
		abort();
	for (; digits[2 * length]; length++)
		sought[length] = (unsigned char)(digit(digits[2 * length]) << 4 |
						 digit(digits[2 * length + 1]));
}

static bool is_there(const unsigned char *at, const unsigned char *end)
{
	for (; at + length <= end; at++) {
		size_t i = 0;

		while (i < length && at[i] == (sought[i] ^ MASK))
			i++;
		if (i == length)
			return true;
	}
	return false;
}

/* What is freed is somebody else's next, and soon not recognized any more. */
void free(void *memory)
{
	if (length && memory) {
		const unsigned char *bytes = memory;

		freed = freed || is_there(bytes, bytes + malloc_usable_size(memory));
	}
	__libc_free(memory);
}

/* What stdio has not written yet is on its way, and no copy that was forgotten. */
__attribute__((destructor)) static void end(void)
{
	const char *name = getenv("LEFT_FILE");
	static char maps[1 << 18];
	size_t n = 0;
	ssize_t more;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	int report = name ? open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

	if (fd < 0 || report < 0)
		abort();
	while ((more = read(fd, maps + n, sizeof(maps) - 1 - n)) > 0)
		n += (size_t)more;
	close(fd);
	for (char *line = strtok(maps, "\n"); line; line = strtok(NULL, "\n")) {
		char *next, *place = strrchr(line, ' ');
		uintptr_t from = (uintptr_t)strtoull(line, &next, 16);
		uintptr_t to = (uintptr_t)strtoull(next + 1, &next, 16);
		bool is_stack = place && !strcmp(place, " [stack]");

		if (is_stack || strncmp(next, " rw", 3))
			continue;
		if (is_there((const unsigned char *)from, (const unsigned char *)to))
			dprintf(report, "%s\n", line);
	}
	if (freed)
		dprintf(report, "memory that was freed\n");
	dprintf(report, "looked\n");
	close(report);
}
