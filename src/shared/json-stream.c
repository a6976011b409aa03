// SPDX-License-Identifier: LGPL-2.1-or-later
#include "json-stream.h"
#include "text.h"

#define FIRST_ROOM 4096
#define NUMBER_ROOM 24

/* Grow the buffer; if it contains secrets, wipe the old one. */
static char *grow(struct json_stream *s, size_t room)
{
	char *text;

	if (!s->secret)
		return realloc(s->text, room);
	text = malloc(room);
	if (!text)
		return NULL;
	if (s->text) {
		memcpy(text, s->text, s->length);
		explicit_bzero(s->text, s->length);
		free(s->text);
	}
	return text;
}

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
	text = grow(s, room);
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

/* A table, since most of a document passes through it: 0x20 to 0x7e but quote and backslash. */
static const bool plain[256] = {
	[' '] = true,
	['!'] = true,
	['#' ... '['] = true,
	[']' ... '~'] = true,
};

static bool is_plain(unsigned char c)
{
	return plain[c];
}

/* True for DEL and C1 controls (U+0080 to U+009F): JSON allows them, terminals interpret them. */
static bool is_terminal_control(const unsigned char *s)
{
	return *s == 0x7f || (s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f);
}

/* Return the length of the part at @start that needs no escaping. */
static size_t plain_length(const unsigned char *start)
{
	const unsigned char *at = start;
	size_t n;

	for (;;) {
		while (is_plain(*at))
			at++;
		if (*at < 0x80 || is_terminal_control(at))
			break;
		n = text_utf8_length((const char *)at, 4);
		if (!n)
			break;
		at += n;
	}
	return (size_t)(at - start);
}

/* Write the character at @at and return its length in the input. */
static size_t put_escaped(struct json_stream *s, const unsigned char *at, const char *whole)
{
	static const char letters[] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'
	};
	size_t length = 1;
	char text[8];

	if (*at == '"' || *at == '\\') {
		snprintf(text, sizeof(text), "\\%c", *at);
	} else if (*at < sizeof(letters) && letters[*at]) {
		snprintf(text, sizeof(text), "\\%c", letters[*at]);
	} else if (*at < 0x20 || is_terminal_control(at)) {
		length = *at == 0xc2 ? 2 : 1;
		snprintf(text, sizeof(text), "\\u00%02x", at[length - 1]);
	} else {
		snprintf(text, sizeof(text), "\xef\xbf\xbd"); /* U+FFFD: not UTF-8 */
		s->replaced = s->replaced ? s->replaced : whole;
	}
	put(s, text, strlen(text));
	return length;
}

static void put_string(struct json_stream *s, const char *value)
{
	const unsigned char *at = (const unsigned char *)value;

	put(s, "\"", 1);
	while (*at) {
		size_t n = plain_length(at);

		put(s, (const char *)at, n);
		at += n;
		if (*at)
			at += put_escaped(s, at, value);
	}
	put(s, "\"", 1);
}

/* What precedes a member: comma, line break, key. Reserve it at once: it is most of the text. */
static void begin(struct json_stream *s, const char *key)
{
	const size_t length = key ? strlen(key) : 0;
	const size_t indent = s->pretty ? 2 * (size_t)s->depth : 0;
	const bool is_simple = key && plain_length((const unsigned char *)key) == length;
	char *at = reserve(s, indent + length + 5);

	if (!at)
		return;
	if (s->depth) {
		if (s->filled & (1U << s->depth))
			*at++ = ',';
		s->filled |= 1U << s->depth;
		if (s->pretty)
			*at++ = '\n';
		memset(at, ' ', indent);
		at += indent;
	}
	if (is_simple) {
		*at++ = '"';
		memcpy(at, key, length);
		at += length;
		*at++ = '"';
		*at++ = ':';
	}
	s->length = (size_t)(at - s->text);
	if (key && !is_simple) {
		put_string(s, key);
		put(s, ":", 1);
	}
}

static void open_container(struct json_stream *s, const char *key, const char *bracket)
{
	begin(s, key);
	put(s, bracket, 1);
	if (s->depth == STREAM_MAX_DEPTH) {
		s->failed = true;
		return;
	}
	s->depth++;
	s->filled &= ~(1U << s->depth);
}

static void close_container(struct json_stream *s, const char *bracket)
{
	bool filled = s->filled & (1U << s->depth);

	if (!s->depth)
		return;
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

void stream_string(struct json_stream *s, const char *key, const char *value)
{
	begin(s, key);
	if (value)
		put_string(s, value);
	else
		put(s, "null", 4);
}

static void put_number(struct json_stream *s, const char *key, uint64_t value, bool negative)
{
	char text[NUMBER_ROOM];
	char *at = text + sizeof(text);

	begin(s, key);
	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	if (negative)
		*--at = '-';
	put(s, at, (size_t)(text + sizeof(text) - at));
}

void stream_int64(struct json_stream *s, const char *key, int64_t value)
{
	put_number(s, key, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

void stream_uint64(struct json_stream *s, const char *key, uint64_t value)
{
	put_number(s, key, value, false);
}

void stream_literal(struct json_stream *s, const char *key, const char *json)
{
	begin(s, key);
	for (;;) {
		size_t n = strcspn(json, "\n");

		put(s, json, n);
		if (!json[n])
			break;
		put_line(s); /* indent the line as required by its new parent */
		json += n + 1;
	}
}

/* Return the length of the string, number or word at @json. */
static size_t token_length(const char *json)
{
	size_t n = 1;

	if (*json != '"')
		return strcspn(json, ",]} \t\r\n");
	while (json[n] && json[n] != '"')
		n += json[n] == '\\' && json[n + 1] ? 2 : 1;
	return json[n] ? n + 1 : n;
}

static const char *skip_space(const char *json)
{
	return json + strspn(json, " \t\r\n");
}

/* Write a character that opens, closes or separates. Return the text after it. */
static const char *put_structure(struct json_stream *s, const char *json)
{
	const char *next = skip_space(json + 1);

	switch (*json) {
	case '{':
	case '[':
		put(s, json, 1);
		if (*next == '}' || *next == ']') {
			put(s, next, 1);
			return skip_space(next + 1);
		}
		s->depth++;
		put_line(s);
		break;
	case '}':
	case ']':
		s->depth--;
		put_line(s);
		put(s, json, 1);
		break;
	case ',':
		put(s, json, 1);
		put_line(s);
		break;
	default:
		put(s, json, 1);
	}
	return next;
}

void stream_document(struct json_stream *s, const char *key, const char *json)
{
	begin(s, key);
	for (json = skip_space(json); *json;) {
		size_t n = strchr("{}[],:", *json) ? 0 : token_length(json);

		put(s, json, n);
		json = n ? skip_space(json + n) : put_structure(s, json);
	}
}

void stream_restart(struct json_stream *s)
{
	s->length = 0;
	s->depth = 0;
	s->filled = 0;
}

char *stream_finish(struct json_stream *s)
{
	put(s, "", 1);
	if (!s->failed)
		return s->text;
	if (s->text && s->secret)
		explicit_bzero(s->text, s->length);
	free(s->text);
	s->text = NULL;
	errno = ENOMEM;
	return NULL;
}
