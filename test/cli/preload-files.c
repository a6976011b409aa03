// SPDX-License-Identifier: LGPL-2.1-or-later
/* The files of the stand-in for the kernel, below $FAKE_DIR. What they are: see preload.c. */
#undef _FILE_OFFSET_BITS

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload.h"

/* Where allocations are made to fail (alloc.c), ours are not. */
void fail_alloc_pause(bool pause) __attribute__((weak));

void preload_pause_failures(bool pause)
{
	if (fail_alloc_pause)
		fail_alloc_pause(pause);
}

const char *preload_dir(void)
{
	const char *dir = getenv("FAKE_DIR");

	return dir ? dir : "/nonexistent";
}

static void fake_path(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", preload_dir(), name);
}

/* Contents of a file below $FAKE_DIR, to be freed; NULL if there is none. */
char *preload_load(const char *name, size_t *size)
{
	char path[4096], *text = NULL;
	struct stat st;
	ssize_t n;
	int fd;

	fake_path(path, sizeof(path), name);
	fd = preload_open(path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return NULL;
	preload_pause_failures(true);
	if (!fstat(fd, &st))
		text = malloc((size_t)st.st_size + 1);
	preload_pause_failures(false);
	if (text) {
		n = REAL_FUNCTION(ssize_t, read, int, void *, size_t)(fd, text, (size_t)st.st_size);
		text[n < 0 ? 0 : n] = '\0';
		if (size)
			*size = n < 0 ? 0 : (size_t)n;
	}
	REAL_FUNCTION(int, close, int)(fd);
	return text;
}

long preload_load_number(const char *name, long missing)
{
	char *text = preload_load(name, NULL);
	long number = text ? strtol(text, NULL, 0) : missing;

	free(text);
	return number;
}

void preload_append(const char *file, int flags, const char *line, size_t size)
{
	char path[4096];
	int fd;

	fake_path(path, sizeof(path), file);
	fd = preload_open(path, O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0600);
	if (fd < 0 && !flags)
		return;
	if (fd < 0 || REAL_FUNCTION(ssize_t, write, int, const void *, size_t)(fd, line, size) !=
			      (ssize_t)size)
		_exit(99);
	REAL_FUNCTION(int, close, int)(fd);
}

__attribute__((format(printf, 1, 2))) void preload_note(const char *fmt, ...)
{
	char line[8192];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	preload_append("written", O_CREAT, line,
		       (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
	/* test/cli/left.c looks for what the program left, not this */
	explicit_bzero(line, sizeof(line));
}

bool preload_exists(const char *name)
{
	char path[4096];
	struct stat st;

	fake_path(path, sizeof(path), name);
	return !stat(path, &st);
}
