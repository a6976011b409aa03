/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A strict JSON reader (RFC 8259) for files with secrets. It reports errors with line and path. */
#pragma once

#include <json.h>

#include "shared/json-stream.h"

/* Limits: far above what a large site needs, and small enough to be harmless. */
#define READER_SIZE_MAX (64 << 20)
#define READER_DEPTH_MAX 16
#define READER_PROBLEMS_MAX 100

/* Current position in the document, e.g. "$[0].subsystems[2].ports[1].traddr". */
struct json_path {
	struct {
		const char *key; /* NULL: @index is valid */
		size_t key_len;
		size_t index;
	} steps[READER_DEPTH_MAX + 2];
	size_t depth;
};

/* Something in the file that was rejected (@refused), or accepted and probably a mistake. */
struct reader_problem {
	char *text; /* "file:line: path: reason" */
	bool refused;
};

/* An object with a duplicate key, and the error message. */
struct reader_repeat {
	const struct json_object *object;
	char *text;
};

/* Position of a null in an array. */
struct reader_null {
	const struct json_object *array;
	size_t index;
	unsigned int line;
};

/* One attempt to read a file. */
struct reader {
	const char *file;
	struct json_path path;
	unsigned int line; /* line of the enclosing value: json-c has no object for null */
	struct reader_null nulls[8]; /* the first nulls in arrays, whose lines are known */
	size_t n_nulls;
	char *error; /* the first one */
	struct reader_problem *problems;
	size_t n_problems;
	bool takes_repeats; /* a duplicate key invalidates its object, not the document */
	struct reader_repeat *repeats;
	size_t n_repeats;
};

void reader_problems_free(struct reader_problem *problems, size_t n);

/* Store the error if it is the first one. Return -EPROTO, or -ENOMEM. */
int reader_fail(struct reader *read, unsigned int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Store a warning. Return 0 or -ENOMEM. */
int reader_warn(struct reader *read, unsigned int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Turn the error of reader_fail() into a problem: the rest is still used. Return 0 or -ENOMEM. */
int reader_continue(struct reader *read);

/* Return -EPROTO and store the error if @object has a duplicate key (see takes_repeats), else 0. */
int reader_check_repeat(struct reader *read, const struct json_object *object);

/* Turn duplicate keys that no caller checked into problems, and free all. Return 0 or -ENOMEM. */
int reader_end_repeats(struct reader *read);

/* Free all duplicate keys. */
void reader_forget_repeats(struct reader *read);

static inline void reader_enter_key(struct reader *read, const char *key, size_t len)
{
	read->path.steps[read->path.depth].key = key;
	read->path.steps[read->path.depth++].key_len = len;
}

static inline void reader_enter_index(struct reader *read, size_t index)
{
	read->path.steps[read->path.depth].key = NULL;
	read->path.steps[read->path.depth++].index = index;
}

/* Enter an element of an array and make it the enclosing value. */
void reader_enter_element(struct reader *read, struct json_object *array, size_t index);

static inline void reader_leave(struct reader *read)
{
	read->path.depth--;
}

void reader_put_path(FILE *out, const struct json_path *path);

/* Contents of a file, wiped before they are freed. */
struct reader_text {
	char *bytes;
	size_t len, size;
};

void reader_text_cleanup(struct reader_text *text);

/*
 * Read the file into @text and its fstat() into @st. Return 0; -EPROTO, with the error stored, if
 * it is too large; other -errno if it cannot be read.
 */
int reader_load(struct reader *read, struct reader_text *text, struct stat *st);

/*
 * Parse @text according to RFC 8259, without extensions. Keys must be unique (see takes_repeats),
 * nesting at most READER_DEPTH_MAX. Return 0, -EPROTO with the error stored, or -ENOMEM.
 */
int reader_parse(struct reader *read, const char *text, size_t len, struct json_object **ret);

/* Return the line on which a value starts; 0 for null, which has no object. */
unsigned int reader_line(struct json_object *value);

/* Like strtod() in the C locale, whatever the program's locale is. */
double reader_double(const char *text);

/*
 * Release a value of reader_parse(). Line numbers are stored as json-c user data, which json-c 0.19
 * would take for pointers to its own objects, so they are removed first. Values that others still
 * hold lose their lines, except members named @kept (NULL: none), whose last holder must release
 * them with this function.
 */
void reader_put(struct json_object *value, const char *kept);

/* Write a value as JSON. */
void reader_put_json(struct json_stream *out, const char *key, struct json_object *value);
