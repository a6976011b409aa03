/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a reader: errors and warnings with file, line and JSON path, and loading files. */
#include <locale.h>

#include "base/array.h"
#include "base/str.h"
#include "reader.h"
#include "shared/text.h"

void reader_put_path(FILE *out, const struct json_path *path)
{
	fputc('$', out);
	for (size_t i = 0; i < path->depth; i++) {
		_cleanup_(free) char *key = NULL;

		if (!path->steps[i].key) {
			fprintf(out, "[%zu]", path->steps[i].index);
			continue;
		}
		key = str_escape_control(path->steps[i].key, path->steps[i].key_len);
		fprintf(out, ".%s", key ? key : "?");
	}
}

static void put_error(FILE *out, const struct reader *read, unsigned int line, const char *fmt,
		      va_list ap) __attribute__((format(printf, 4, 0)));

static void put_error(FILE *out, const struct reader *read, unsigned int line, const char *fmt,
		      va_list ap)
{
	if (!line)
		line = read->line;
	fputs(read->file, out);
	if (line)
		fprintf(out, ":%u", line);
	fputs(": ", out);
	if (read->path.depth) {
		reader_put_path(out, &read->path);
		fputs(": ", out);
	}
	vfprintf(out, fmt, ap);
}

__attribute__((format(printf, 3, 0))) static char *error_text(const struct reader *read,
							      unsigned int line, const char *fmt,
							      va_list ap)
{
	_cleanup_(text_wipe) struct text text = { 0 };

	if (text_open(&text))
		put_error(text.stream, read, line, fmt, ap);
	return text_close(&text) ? NULL : text_take(&text);
}

int reader_fail(struct reader *read, unsigned int line, const char *fmt, ...)
{
	va_list ap;

	if (read->error)
		return -EPROTO;
	va_start(ap, fmt);
	read->error = error_text(read, line, fmt, ap);
	va_end(ap);
	return read->error ? -EPROTO : -ENOMEM;
}

void reader_problems_free(struct reader_problem *problems, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(problems[i].text);
	free(problems);
}

/* Add a problem and own @text. The last of READER_PROBLEMS_MAX problems stands for all others. */
static int reader_add_problem(struct reader *read, char *text, bool refused)
{
	struct reader_problem *problem;

	if (text && read->n_problems == READER_PROBLEMS_MAX) {
		problem = &read->problems[READER_PROBLEMS_MAX - 1];
		problem->refused |= refused;
		free(text);
		return str_set(&problem->text, "further problems are not listed");
	}
	problem = text ? array_add(&read->problems, &read->n_problems, sizeof(*problem)) : NULL;
	if (!problem) {
		free(text);
		return -ENOMEM;
	}
	*problem = (struct reader_problem){ text, refused };
	return 0;
}

int reader_warn(struct reader *read, unsigned int line, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = error_text(read, line, fmt, ap);
	va_end(ap);
	return reader_add_problem(read, text, false);
}

int reader_continue(struct reader *read)
{
	return reader_add_problem(read, steal_ptr(&read->error), true);
}

int reader_check_repeat(struct reader *read, const struct json_object *object)
{
	for (size_t i = 0; i < read->n_repeats; i++) {
		if (read->repeats[i].object != object || !read->repeats[i].text)
			continue;
		free(read->error);
		read->error = steal_ptr(&read->repeats[i].text);
		return -EPROTO;
	}
	return 0;
}

void reader_forget_repeats(struct reader *read)
{
	for (size_t i = 0; i < read->n_repeats; i++)
		free(read->repeats[i].text);
	free(read->repeats);
	read->repeats = NULL;
	read->n_repeats = 0;
}

int reader_end_repeats(struct reader *read)
{
	int err = 0;

	for (size_t i = 0; i < read->n_repeats; i++) {
		char *text = steal_ptr(&read->repeats[i].text);

		if (!err && text)
			err = reader_add_problem(read, text, true);
		else
			free(text);
	}
	reader_forget_repeats(read);
	return err;
}

void reader_enter_element(struct reader *read, struct json_object *array, size_t index)
{
	unsigned int line = reader_line(json_object_array_get_idx(array, index));

	for (size_t i = 0; !line && i < read->n_nulls; i++)
		if (read->nulls[i].array == array && read->nulls[i].index == index)
			line = read->nulls[i].line;
	read->line = line ? line : reader_line(array);
	reader_enter_index(read, index);
}

void reader_text_cleanup(struct reader_text *text)
{
	if (text->bytes)
		explicit_bzero(text->bytes, text->len);
	free(text->bytes);
}

static int grow(struct reader_text *text)
{
	size_t size = text->size ? text->size * 2 : 16384;
	char *longer = malloc(size);

	if (!longer)
		return -ENOMEM;
	if (text->bytes) {
		memcpy(longer, text->bytes, text->len);
		explicit_bzero(text->bytes, text->len);
		free(text->bytes);
	}
	text->bytes = longer;
	text->size = size;
	return 0;
}

int reader_load(struct reader *read_, struct reader_text *text, struct stat *st)
{
	_cleanup_(close) int fd = open(read_->file, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0 || fstat(fd, st))
		return -errno;
	for (;;) {
		if (text->len == text->size && grow(text))
			return -ENOMEM;
		n = read(fd, text->bytes + text->len, text->size - text->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		text->len += (size_t)n;
		if (text->len > READER_SIZE_MAX)
			return reader_fail(read_, 0, "larger than %d MiB", READER_SIZE_MAX >> 20);
	}
}

/* The program may have set another locale. glibc has the C locale without allocating it. */
static locale_t plain_locale(void)
{
	return newlocale(LC_ALL_MASK, "C", NULL);
}

double reader_double(const char *text)
{
	locale_t plain = plain_locale(), before = plain ? uselocale(plain) : NULL;
	double value = strtod(text, NULL);

	if (plain) {
		uselocale(before);
		freelocale(plain);
	}
	return value;
}

static void print_double(char *text, size_t size, int precision, double value)
{
	locale_t plain = plain_locale(), before = plain ? uselocale(plain) : NULL;

	snprintf(text, size, "%.*g", precision, value);
	if (plain) {
		uselocale(before);
		freelocale(plain);
	}
}

/* Write the shortest decimal that reads back as @value, with ".0" if it would be an integer. */
static void put_double(struct json_stream *out, const char *key, double value)
{
	char text[40];

	for (int precision = 1; precision <= 17; precision++) {
		print_double(text, sizeof(text), precision, value);
		if (reader_double(text) == value)
			break;
	}
	if (!strpbrk(text, ".e"))
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ".0");
	stream_literal(out, key, text);
}

void reader_put_json(struct json_stream *out, const char *key, struct json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_null:
		stream_string(out, key, NULL);
		break;
	case json_type_boolean:
		stream_literal(out, key, json_object_get_boolean(value) ? "true" : "false");
		break;
	case json_type_double:
		put_double(out, key, json_object_get_double(value));
		break;
	case json_type_int:
		stream_int64(out, key, json_object_get_int64(value));
		break;
	case json_type_string:
		stream_string(out, key, json_object_get_string(value));
		break;
	case json_type_object:
		stream_dict(out, key);
		json_object_object_foreach(value, name, member)
			reader_put_json(out, name, member);
		stream_end_dict(out);
		break;
	case json_type_array:
		stream_list(out, key);
		for (size_t i = 0; i < json_object_array_length(value); i++)
			reader_put_json(out, NULL, json_object_array_get_idx(value, i));
		stream_end_list(out);
		break;
	}
}
