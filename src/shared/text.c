// SPDX-License-Identifier: LGPL-2.1-or-later
#include "text.h"

static void release(struct text *text)
{
	if (text->bytes)
		explicit_bzero(text->bytes, text->length);
	free(text->bytes);
	text->bytes = NULL;
}

/* Grow the buffer without realloc(), which would leave a copy of the old bytes. */
static bool reserve(struct text *text, size_t more)
{
	size_t room = text->room ? text->room : 256;
	char *bytes;

	while (room < text->length + more)
		room *= 2;
	if (text->bytes && room == text->room)
		return true;
	bytes = malloc(room);
	if (!bytes)
		return false;
	if (text->bytes)
		memcpy(bytes, text->bytes, text->length);
	release(text);
	text->bytes = bytes;
	text->room = room;
	return true;
}

static ssize_t add(void *cookie, const char *bytes, size_t length)
{
	struct text *text = cookie;

	if (text->failed || !reserve(text, length + 1)) {
		text->failed = true;
		errno = ENOMEM;
		return 0;
	}
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = '\0';
	return (ssize_t)length;
}

FILE *text_open(struct text *text)
{
	const cookie_io_functions_t functions = { .write = add };

	text->stream = reserve(text, 1) ? fopencookie(text, "w", functions) : NULL;
	text->failed = !text->stream;
	if (text->stream)
		setvbuf(text->stream, text->buffer, _IOFBF, sizeof(text->buffer));
	if (text->bytes)
		*text->bytes = '\0';
	return text->stream;
}

int text_close(struct text *text)
{
	if (text->stream && fclose(text->stream))
		text->failed = true;
	text->stream = NULL;
	explicit_bzero(text->buffer, sizeof(text->buffer));
	return text->failed ? -ENOMEM : 0;
}

char *text_take(struct text *text)
{
	char *bytes = text->bytes;

	text->bytes = NULL;
	return bytes;
}

void text_wipe_cleanup(struct text *text)
{
	text_close(text);
	release(text);
}

int text_copy(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

size_t text_utf8_length(const char *text, size_t left)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	if (left && s[0] < 0x80)
		return 1;
	if (!left || s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (length > left)
		return 0;
	switch (s[0]) {
	case 0xe0:
		low = 0xa0;
		break;
	case 0xed:
		high = 0x9f;
		break;
	case 0xf0:
		low = 0x90;
		break;
	case 0xf4:
		high = 0x8f;
		break;
	}
	if (s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

static uint32_t decode(const char *s, size_t length)
{
	static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (unsigned char)s[0] & first[length];

	for (size_t i = 1; i < length; i++)
		code = code << 6 | ((unsigned char)s[i] & 0x3f);
	return code;
}

/* True for invisible characters and those that change how others are displayed. */
static bool is_invisible(uint32_t code)
{
	static const uint32_t ranges[][2] = {
		{ 0x0000, 0x001f }, { 0x007f, 0x009f },	  { 0x061c, 0x061c }, { 0x200b, 0x200f },
		{ 0x2028, 0x202e }, { 0x2060, 0x206f },	  { 0xfdd0, 0xfdef }, { 0xfeff, 0xfeff },
		{ 0xfff9, 0xfffc }, { 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i][0] && code <= ranges[i][1])
			return true;
	return (code & 0xfffe) == 0xfffe;
}

size_t text_printable_length(const char *s, size_t left)
{
	size_t length = text_utf8_length(s, left);

	return length && !is_invisible(decode(s, length)) ? length : 0;
}

bool text_is_printable(const char *s)
{
	size_t left = strlen(s), length;

	for (; left; s += length, left -= length) {
		length = text_printable_length(s, left);
		if (!length)
			return false;
	}
	return true;
}
