/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A strict JSON reader (RFC 8259). json-c's parser records no line numbers, takes the last of
 * duplicate keys and accepts invalid JSON; errors must name the line.
 */
#include <float.h>

#include "base/array.h"
#include "base/str.h"
#include "reader.h"
#include "shared/text.h"

struct parser {
	struct reader *read;
	const char *at, *end;
	unsigned int line;
	unsigned int depth;
};

static int parse_value(struct parser *p, struct json_object **ret);

unsigned int reader_line(struct json_object *value)
{
	return value ? (unsigned int)(uintptr_t)json_object_get_userdata(value) : 0;
}

static void forget_lines(struct json_object *value, const char *kept)
{
	if (json_object_is_type(value, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(value); i++)
			forget_lines(json_object_array_get_idx(value, i), kept);
	} else if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, key, member)
			if (!kept || strcmp(key, kept) != 0)
				forget_lines(member, kept);
	}
	if (value)
		json_object_set_userdata(value, NULL, NULL);
}

void reader_put(struct json_object *value, const char *kept)
{
	forget_lines(value, kept);
	json_object_put(value);
}

static void skip_space(struct parser *p)
{
	for (; p->at < p->end; p->at++) {
		if (*p->at == '\n')
			p->line++;
		else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r')
			return;
	}
}

static bool next_is(struct parser *p, char c)
{
	skip_space(p);
	return p->at < p->end && *p->at == c;
}

static bool take(struct parser *p, char c)
{
	if (!next_is(p, c))
		return false;
	p->at++;
	return true;
}

/* Fail with "expected X, not 'y'", where y is printable. */
static int unexpected(struct parser *p, const char *expected)
{
	_cleanup_(free) char *shown = NULL;

	skip_space(p);
	if (p->at >= p->end)
		return reader_fail(p->read, p->line, "expected %s, but the file ends", expected);
	shown = str_escape_control(p->at, 1);
	return reader_fail(p->read, p->line, "expected %s, not '%s'", expected,
			   shown ? shown : "?");
}

static int hex4(struct parser *p, unsigned int *ret)
{
	unsigned int value = 0;

	if (p->end - p->at < 4)
		return reader_fail(p->read, p->line, "\\u needs four hexadecimal digits");
	for (int i = 0; i < 4; i++) {
		int digit = str_hex_digit(*p->at++);

		if (digit < 0)
			return reader_fail(p->read, p->line, "\\u needs four hexadecimal digits");
		value = value << 4 | (unsigned int)digit;
	}
	*ret = value;
	return 0;
}

static char *put_utf8(char *out, unsigned int code)
{
	if (code < 0x80) {
		*out++ = (char)code;
	} else if (code < 0x800) {
		*out++ = (char)(0xc0 | code >> 6);
		*out++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*out++ = (char)(0xe0 | code >> 12);
		*out++ = (char)(0x80 | (code >> 6 & 0x3f));
		*out++ = (char)(0x80 | (code & 0x3f));
	} else {
		*out++ = (char)(0xf0 | code >> 18);
		*out++ = (char)(0x80 | (code >> 12 & 0x3f));
		*out++ = (char)(0x80 | (code >> 6 & 0x3f));
		*out++ = (char)(0x80 | (code & 0x3f));
	}
	return out;
}

static int escape_unicode(struct parser *p, char **out)
{
	unsigned int code, low;
	int err = hex4(p, &code);

	if (err)
		return err;
	if (code >= 0xd800 && code < 0xdc00) {
		if (p->end - p->at < 6 || p->at[0] != '\\' || p->at[1] != 'u')
			return reader_fail(p->read, p->line, "half of a surrogate pair");
		p->at += 2;
		err = hex4(p, &low);
		if (err)
			return err;
		if (low < 0xdc00 || low > 0xdfff)
			return reader_fail(p->read, p->line, "half of a surrogate pair");
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	} else if (code >= 0xdc00 && code <= 0xdfff) {
		return reader_fail(p->read, p->line, "half of a surrogate pair");
	}
	if (!code)
		return reader_fail(p->read, p->line, "a string cannot hold \\u0000");
	*out = put_utf8(*out, code);
	return 0;
}

static int escape(struct parser *p, char **out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (p->at >= p->end)
		return reader_fail(p->read, p->line, "the string does not end");
	if (*p->at == 'u') {
		p->at++;
		return escape_unicode(p, out);
	}
	found = *p->at ? strchr(from, *p->at) : NULL;
	if (!found)
		return reader_fail(p->read, p->line, "unknown escape in a string");
	*(*out)++ = to[found - from];
	p->at++;
	return 0;
}

/* Parse a string after its opening quote. *@ret must be freed. */
static int parse_string(struct parser *p, char **ret, size_t *ret_len)
{
	_cleanup_(free) char *text = NULL;
	const char *close = p->at;
	char *out;
	int err;

	while (close < p->end && *close != '"')
		close += *close == '\\' && p->end - close > 1 ? 2 : 1;
	if (close >= p->end)
		return reader_fail(p->read, p->line, "the string does not end");
	/* The decoded string is never longer than the encoded one. */
	text = out = malloc((size_t)(close - p->at) + 1);
	if (!text)
		return -ENOMEM;
	while (p->at < p->end && *p->at != '"') {
		unsigned char c = (unsigned char)*p->at;
		size_t len;

		if (c == '\\') {
			p->at++;
			err = escape(p, &out);
			if (err)
				return err;
			continue;
		}
		if (c < 0x20)
			return reader_fail(p->read, p->line, "control character 0x%02x in a string",
					   c);
		len = text_utf8_length(p->at, (size_t)(p->end - p->at));
		if (!len)
			return reader_fail(p->read, p->line, "the string is not UTF-8");
		memcpy(out, p->at, len);
		out += len;
		p->at += len;
	}
	if (p->at >= p->end)
		return reader_fail(p->read, p->line, "the string does not end");
	p->at++;
	*out = '\0';
	*ret_len = (size_t)(out - text);
	*ret = steal_ptr(&text);
	return 0;
}

static bool is_digit(const struct parser *p)
{
	return p->at < p->end && *p->at >= '0' && *p->at <= '9';
}

/* Copy the number, because the text is not NUL-terminated for strtod(). */
static int to_number(struct parser *p, const char *start, bool whole, struct json_object **ret)
{
	char text[64];
	size_t len = (size_t)(p->at - start);

	if (len >= sizeof(text))
		return reader_fail(p->read, p->line, "a number is too long: %zu characters", len);
	str_copy(text, sizeof(text), start, len);
	errno = 0;
	if (whole) {
		long long value = strtoll(text, NULL, 10);

		if (errno)
			return reader_fail(p->read, p->line, "%s is out of range", text);
		*ret = json_object_new_int64(value);
	} else {
		double value = reader_double(text);

		if (value > DBL_MAX || value < -DBL_MAX)
			return reader_fail(p->read, p->line, "%s is out of range", text);
		*ret = json_object_new_double(value);
	}
	return *ret ? 0 : -ENOMEM;
}

static int parse_number(struct parser *p, struct json_object **ret)
{
	const char *start = p->at;
	bool whole = true;

	if (*p->at == '-')
		p->at++;
	if (!is_digit(p))
		return unexpected(p, "a digit");
	if (*p->at++ == '0' && is_digit(p))
		return reader_fail(p->read, p->line, "numbers do not start with 0");
	while (is_digit(p))
		p->at++;
	if (p->at < p->end && *p->at == '.') {
		whole = false;
		p->at++;
		if (!is_digit(p))
			return unexpected(p, "a digit");
		while (is_digit(p))
			p->at++;
	}
	if (p->at < p->end && (*p->at | 0x20) == 'e') {
		whole = false;
		p->at++;
		if (p->at < p->end && (*p->at == '+' || *p->at == '-'))
			p->at++;
		if (!is_digit(p))
			return unexpected(p, "a digit");
		while (is_digit(p))
			p->at++;
	}
	return to_number(p, start, whole, ret);
}

static bool take_word(struct parser *p, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(p->end - p->at) < len || strncmp(p->at, word, len) != 0)
		return false;
	p->at += len;
	return true;
}

/* Skip the value of a duplicate key, and forget duplicate keys inside it. */
static int skip_repeated(struct parser *p)
{
	const size_t before = p->read->n_repeats;
	struct json_object *value = NULL;
	int err = take(p, ':') ? parse_value(p, &value) : unexpected(p, "':'");

	while (p->read->n_repeats > before)
		free(p->read->repeats[--p->read->n_repeats].text);
	if (json_object_is_type(value, json_type_string))
		explicit_bzero((char *)json_object_get_string(value),
			       (size_t)json_object_get_string_len(value));
	reader_put(value, NULL);
	return err;
}

/* Handle a duplicate key: either the object is invalid or the whole document. */
static int parse_repeated(struct parser *p, const struct json_object *object)
{
	struct reader *read = p->read;
	int err = reader_fail(read, p->line, "the key is given twice");
	struct reader_repeat *repeat;

	if (err != -EPROTO || !read->takes_repeats)
		return err;
	repeat = array_add(&read->repeats, &read->n_repeats, sizeof(*repeat));
	if (!repeat)
		return -ENOMEM;
	*repeat = (struct reader_repeat){ object, steal_ptr(&read->error) };
	return skip_repeated(p);
}

static int parse_member(struct parser *p, struct json_object *object)
{
	_cleanup_(free) char *key = NULL;
	struct json_object *value = NULL;
	size_t len;
	int err;

	if (!take(p, '"'))
		return unexpected(p, "a key in quotes");
	err = parse_string(p, &key, &len);
	if (err)
		return err;
	reader_enter_key(p->read, key, len);
	if (json_object_object_get_ex(object, key, NULL)) {
		err = parse_repeated(p, object);
		reader_leave(p->read);
		return err;
	}
	if (!take(p, ':'))
		err = unexpected(p, "':'");
	else
		err = parse_value(p, &value);
	reader_leave(p->read);
	if (!err && json_object_object_add(object, key, value) < 0) {
		reader_put(value, NULL);
		err = -ENOMEM;
	}
	return err;
}

static int parse_object(struct parser *p, struct json_object *object)
{
	if (take(p, '}'))
		return 0;
	do {
		int err = parse_member(p, object);

		if (err)
			return err;
	} while (take(p, ','));
	return take(p, '}') ? 0 : unexpected(p, "',' or '}'");
}

static int parse_array(struct parser *p, struct json_object *array)
{
	if (take(p, ']'))
		return 0;
	for (size_t i = 0;; i++) {
		struct json_object *value = NULL;
		int err;

		reader_enter_index(p->read, i);
		err = parse_value(p, &value);
		reader_leave(p->read);
		if (err)
			return err;
		if (json_object_array_add(array, value) < 0) {
			reader_put(value, NULL);
			return -ENOMEM;
		}
		if (!value && p->read->n_nulls < sizeof(p->read->nulls) / sizeof(*p->read->nulls))
			p->read->nulls[p->read->n_nulls++] =
				(struct reader_null){ array, i, p->line };
		if (!take(p, ','))
			break;
	}
	return take(p, ']') ? 0 : unexpected(p, "',' or ']'");
}

static int parse_container(struct parser *p, struct json_object **ret)
{
	bool is_object = *p->at == '{';
	int err;

	if (p->depth == READER_DEPTH_MAX)
		return reader_fail(p->read, p->line, "nested more than %d deep", READER_DEPTH_MAX);
	*ret = is_object ? json_object_new_object() : json_object_new_array();
	if (!*ret)
		return -ENOMEM;
	p->at++;
	p->depth++;
	err = is_object ? parse_object(p, *ret) : parse_array(p, *ret);
	p->depth--;
	return err;
}

static int parse_string_value(struct parser *p, struct json_object **ret)
{
	_cleanup_(free) char *text = NULL;
	size_t len;
	int err;

	p->at++;
	err = parse_string(p, &text, &len);
	if (err)
		return err;
	*ret = json_object_new_string_len(text, (int)len);
	explicit_bzero(text, len);
	return *ret ? 0 : -ENOMEM;
}

static int parse_word(struct parser *p, struct json_object **ret)
{
	if (take_word(p, "null")) {
		*ret = NULL;
		return 0;
	}
	if (take_word(p, "true"))
		*ret = json_object_new_boolean(1);
	else if (take_word(p, "false"))
		*ret = json_object_new_boolean(0);
	else
		return unexpected(p, "a value");
	return *ret ? 0 : -ENOMEM;
}

static int parse_value(struct parser *p, struct json_object **ret)
{
	struct json_object *value = NULL;
	unsigned int line;
	int err;

	skip_space(p);
	line = p->line;
	if (p->at >= p->end)
		return unexpected(p, "a value");
	if (*p->at == '{' || *p->at == '[')
		err = parse_container(p, &value);
	else if (*p->at == '"')
		err = parse_string_value(p, &value);
	else if (*p->at == '-' || is_digit(p))
		err = parse_number(p, &value);
	else
		err = parse_word(p, &value);
	if (err) {
		reader_put(value, NULL);
		return err;
	}
	if (value)
		json_object_set_userdata(value, (void *)(uintptr_t)line, NULL);
	*ret = value;
	return 0;
}

int reader_parse(struct reader *read, const char *text, size_t len, struct json_object **ret)
{
	struct parser p = { .read = read, .at = text, .end = text + len, .line = 1 };
	struct json_object *value = NULL;
	int err;

	read->path.depth = 0;
	read->n_nulls = 0;
	skip_space(&p);
	read->line = p.line;
	err = parse_value(&p, &value);
	if (!err) {
		skip_space(&p);
		if (p.at < p.end)
			err = reader_fail(read, p.line,
					  "unexpected text after the end of the value");
	}
	if (err) {
		reader_put(value, NULL);
		return err;
	}
	*ret = value;
	return 0;
}
