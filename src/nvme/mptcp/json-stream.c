// SPDX-License-Identifier: LGPL-2.1-or-later
/* JSON written straight into a buffer, laid out as json-c does it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "json-stream.h"
#include "private.h"

#define FIRST_ROOM 4096
#define NUMBER_ROOM 24

static char *reserve(struct json_stream *s, size_t size)
{
	size_t room = s->room ? s->room : FIRST_ROOM;
	char *text;

	if (s->failed)
		return NULL;
	if (s->length + size <= s->room)
		return s->text + s->length;
	while (room < s->length + size)
		room *= 2;
	text = realloc(s->text, room);
	if (!text) {
		s->failed = true;
		return NULL;
	}
	s->text = text;
	s->room = room;
	return s->text + s->length;
}

static void put(struct json_stream *s, const char *text, size_t size)
{
	char *at = reserve(s, size);

	if (!at)
		return;
	memcpy(at, text, size);
	s->length += size;
}

static void put_line(struct json_stream *s)
{
	char *at = s->pretty ? reserve(s, 2 * (size_t)s->depth + 1) : NULL;

	if (!at)
		return;
	*at = '\n';
	memset(at + 1, ' ', 2 * (size_t)s->depth);
	s->length += 2 * (size_t)s->depth + 1;
}

/* What stands before a member: comma, line, key. */
static void begin(struct json_stream *s, const char *key)
{
	if (s->depth) {
		if (s->filled & (1U << s->depth))
			put(s, ",", 1);
		s->filled |= 1U << s->depth;
		put_line(s);
	}
	if (key) {
		put(s, "\"", 1);
		put(s, key, strlen(key));
		put(s, "\":", 2);
	}
}

static void open_container(struct json_stream *s, const char *key, const char *bracket)
{
	begin(s, key);
	put(s, bracket, 1);
	s->depth++;
	s->filled &= ~(1U << s->depth);
}

static void close_container(struct json_stream *s, const char *bracket)
{
	bool filled = s->filled & (1U << s->depth);

	s->depth--;
	if (filled)
		put_line(s);
	put(s, bracket, 1);
}

void stream_dict(struct json_stream *s, const char *key)
{
	open_container(s, key, "{");
}

void stream_end_dict(struct json_stream *s)
{
	close_container(s, "}");
}

void stream_list(struct json_stream *s, const char *key)
{
	open_container(s, key, "[");
}

void stream_end_list(struct json_stream *s)
{
	close_container(s, "]");
}

/* The next piece of a string: @length bytes of it as they are, or one that is not to be so. */
static size_t plain_length(const unsigned char *at)
{
	const unsigned char *start = at;
	size_t n;

	while (*at >= 0x20 && *at != '"' && *at != '\\' && *at != 0x7f && (n = utf8_length(at)))
		at += n;
	return (size_t)(at - start);
}

static void put_escaped(struct json_stream *s, unsigned char c)
{
	char text[8];

	if (c == '"' || c == '\\')
		snprintf(text, sizeof(text), "\\%c", c);
	else if (c < 0x20 || c == 0x7f)
		snprintf(text, sizeof(text), "\\u%04x", c);
	else
		snprintf(text, sizeof(text), "\xef\xbf\xbd"); /* no UTF-8 */
	put(s, text, strlen(text));
}

void stream_string(struct json_stream *s, const char *key, const char *value)
{
	const unsigned char *at = (const unsigned char *)value;

	begin(s, key);
	if (!value) {
		put(s, "null", 4);
		return;
	}
	put(s, "\"", 1);
	while (*at) {
		size_t n = plain_length(at);

		put(s, (const char *)at, n);
		at += n;
		if (*at)
			put_escaped(s, *at++);
	}
	put(s, "\"", 1);
}

void stream_int(struct json_stream *s, const char *key, int64_t value)
{
	char text[NUMBER_ROOM];
	char *at = text + sizeof(text);
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;

	begin(s, key);
	if (value == NVME_MPTCP_UNKNOWN) {
		put(s, "null", 4);
		return;
	}
	do {
		*--at = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (value < 0)
		*--at = '-';
	put(s, at, (size_t)(text + sizeof(text) - at));
}

void stream_bool(struct json_stream *s, const char *key, int value)
{
	begin(s, key);
	if (value == NVME_MPTCP_UNKNOWN)
		put(s, "null", 4);
	else if (value)
		put(s, "true", 4);
	else
		put(s, "false", 5);
}

void stream_part(struct json_stream *s, const char *key, double value)
{
	int n = (int)(value * 10000 + 0.5);
	char text[NUMBER_ROOM];

	begin(s, key);
	if (value < 0)
		snprintf(text, sizeof(text), "null");
	else /* without the decimal point of the locale */
		snprintf(text, sizeof(text), "%d.%04d", n / 10000, n % 10000);
	put(s, text, strlen(text));
}

void stream_flags(struct json_stream *s, const char *key, int64_t flags, const char *const *names,
		  size_t n)
{
	char number[NUMBER_ROOM];

	if (flags == NVME_MPTCP_UNKNOWN) {
		stream_string(s, key, NULL);
		return;
	}
	stream_list(s, key);
	for (size_t i = 0; i < n; i++)
		if (flags & (1LL << i))
			stream_string(s, NULL, names[i]);
	if (flags >> n) {
		snprintf(number, sizeof(number), "0x%llx", (unsigned long long)(flags >> n) << n);
		stream_string(s, NULL, number);
	}
	stream_end_list(s);
}

char *stream_finish(struct json_stream *s)
{
	put(s, "", 1);
	if (!s->failed)
		return s->text;
	free(s->text);
	s->text = NULL;
	errno = ENOMEM;
	return NULL;
}
