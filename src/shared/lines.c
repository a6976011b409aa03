// SPDX-License-Identifier: LGPL-2.1-or-later
#include <malloc.h>

#include "lines.h"

__attribute__((noinline)) void lines_free(char *text)
{
	if (text)
		explicit_bzero(text, malloc_usable_size(text));
	free(text);
}

static int reserve(struct lines *lines, size_t more)
{
	size_t room = lines->room ? lines->room : 128;
	char *line;

	while (room <= lines->length + more)
		room *= 2;
	if (room == lines->room)
		return 0;
	line = malloc(room);
	if (!line)
		return -ENOMEM;
	if (lines->line)
		memcpy(line, lines->line, lines->length);
	lines_free(lines->line);
	lines->line = line;
	lines->room = room;
	return 0;
}

/* Return 1 if there are bytes in the buffer, 0 at the end of the file, or -errno. */
static int fill(struct lines *lines)
{
	ssize_t n;

	do {
		n = read(lines->fd, lines->buffer, sizeof(lines->buffer));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	lines->at = 0;
	lines->end = (size_t)n;
	return n > 0;
}

bool lines_next(struct lines *lines)
{
	const char *stop = NULL;
	bool any = false;

	if (lines->line)
		explicit_bzero(lines->line, lines->room);
	lines->length = 0;
	while (!lines->err && !stop) {
		const char *from = lines->buffer + lines->at;
		size_t n = lines->end - lines->at;
		int got = n ? 1 : fill(lines);

		if (got <= 0) {
			lines->err = got;
			break;
		}
		if (!n)
			continue;
		any = true;
		stop = memchr(from, '\n', n);
		n = stop ? (size_t)(stop - from) : n;
		lines->err = reserve(lines, n);
		if (lines->err)
			break;
		memcpy(lines->line + lines->length, from, n);
		lines->length += n;
		lines->at += n + (stop ? 1 : 0);
	}
	if (lines->err || !any)
		return false;
	lines->line[lines->length] = '\0';
	lines->number++;
	return true;
}

void lines_wipe_cleanup(struct lines *lines)
{
	lines_free(lines->line);
	lines->line = NULL;
	explicit_bzero(lines->buffer, sizeof(lines->buffer));
}
