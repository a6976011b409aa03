/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A strict reader of JSON (RFC 8259), which knows on which line everything stands and what is wrong
 * with it, of files that may hold secrets.
 */
#pragma once

#include <json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "shared/json-stream.h"

/* Far more than a large site needs, far less than hurts. */
#define READER_SIZE_MAX (64 << 20)
#define READER_DEPTH_MAX 16
#define READER_PROBLEMS_MAX 100

/* Where in the document the reader is: "$[0].subsystems[2].ports[1].traddr". */
struct json_path {
	struct {
		const char *key; /* NULL: an index */
		size_t key_len;
		size_t index;
	} steps[READER_DEPTH_MAX + 2];
	size_t depth;
};

/* What a file has that was not taken over (@refused), or that was and is probably a mistake. */
struct reader_problem {
	char *text; /* "file:line: path: reason" */
	bool refused;
};

/* An object that has a key twice, and the sentence about it. */
struct reader_repeat {
	const struct json_object *object;
	char *text;
};

/* A null in an array. */
struct reader_null {
	const struct json_object *array;
	size_t index;
	unsigned int line;
};

/* One attempt to read a file. */
struct reader {
	const char *file;
	struct json_path path;
	unsigned int line; /* of what is around: null values have none of their own */
	struct reader_null nulls[8]; /* but for the first ones in arrays */
	size_t n_nulls;
	char *error; /* the first one */
	struct reader_problem *problems;
	size_t n_problems;
	bool takes_repeats; /* a key given twice makes its object wrong, and not the document */
	struct reader_repeat *repeats;
	size_t n_repeats;
};

void reader_problems_free(struct reader_problem *problems, size_t n);

/* Keeps the first error and returns -EPROTO, or -ENOMEM. */
int reader_fail(struct reader *read, unsigned int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Keeps a warning. 0 or -ENOMEM. */
int reader_warn(struct reader *read, unsigned int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * After reader_fail(), where the rest of the document counts none the less: the error becomes one of the
 * problems. 0 or -ENOMEM.
 */
int reader_go_on(struct reader *read);

/* Of an object of the document, where repeats are taken: 0, or -EPROTO with the error kept. */
int reader_check_repeat(struct reader *read, const struct json_object *object);

/* Reports the repeats that no caller has checked as problems, and frees all. 0 or -ENOMEM. */
int reader_end_repeats(struct reader *read);

/* None is left. */
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

/* Enters an element of an array, which is what is around until something else is. */
void reader_enter_element(struct reader *read, struct json_object *array, size_t index);

static inline void reader_leave(struct reader *read)
{
	read->path.depth--;
}

void reader_put_path(FILE *out, const struct json_path *path);

/* The bytes of a file, overwritten before they are freed. */
struct reader_text {
	char *bytes;
	size_t len, size;
};

void reader_text_cleanup(struct reader_text *text);

/*
 * Reads the file into @text, and of what kind it is into @st. 0; -EPROTO, with the error kept, if it is
 * too large; other -errno if it cannot be read.
 */
int reader_load(struct reader *read, struct reader_text *text, struct stat *st);

/*
 * RFC 8259 without anything beyond it, keys unique (see takes_repeats), nesting at most READER_DEPTH_MAX. 0, -EPROTO with the
 * error kept, -ENOMEM.
 */
int reader_parse(struct reader *read, const char *text, size_t len, struct json_object **ret);

/* On which line a value starts; 0 for null, which has no object. */
unsigned int reader_line(struct json_object *value);

/* As strtod(), with the decimal point of JSON whatever the program's locale is. */
double reader_double(const char *text);

/*
 * As json_object_put(), of what reader_parse() made: json-c 0.19 takes the lines there for objects of its
 * own. What others hold of it loses its lines, but members called @kept (NULL: none), which their last
 * holder gives back like this.
 */
void reader_put(struct json_object *value, const char *kept);

/* Writes a value as it was read. */
void reader_put_json(struct json_stream *out, const char *key, struct json_object *value);
