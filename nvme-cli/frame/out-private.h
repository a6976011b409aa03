/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the renderer, each using those before: out-table.c, out.c (containers), out-field.c */
#pragma once

#include "escape.h"
#include "shared/json-stream.h"

#define MAX_DEPTH 24

enum frame_kind {
	FRAME_OBJECT,
	FRAME_ARRAY,
	FRAME_LISTING,
	FRAME_TABLE,
	FRAME_ROW,
};

struct cell {
	char *text;
	enum out_colour colour;
};

struct column {
	char *header;
	bool right;
	int width;
};

struct table {
	struct column *columns;
	size_t n_columns;
	struct cell *cells; /* n_rows * n_columns */
	size_t n_rows, rows_allocated;
	size_t column; /* of the next cell in the last row */
	bool rule, grid, always;
};

struct frame {
	enum frame_kind kind;
	struct table *table;
	const char *label; /* of an array */
	char *joined; /* the scalars of an array as one text, for its cell or line */
	enum out_label_style style;
	int width;
};

/* A string that is valid as long as the renderer. */
struct kept {
	struct kept *next;
	char string[];
};

struct out {
	enum out_format format;
	FILE *stream;
	struct json_stream json; /* the document, printed when its outermost container ends */
	int err;
	bool coloured;
	bool closed; /* an error has replaced the document */
	int indent;
	struct frame frames[MAX_DEPTH];
	size_t depth;
	struct kept *kept;
	/* Modifiers of the next field. */
	const char *label;
	enum out_colour colour;
	bool json_only, text_only;
};

static inline void out_fail(struct out *out, int err)
{
	if (!out->err)
		out->err = err;
}

/* Record a write error at once: stdio remembers it, but not its reason in errno. */
static inline void out_wrote(struct out *out)
{
	if (ferror(out->stream))
		out_fail(out, errno ? -errno : -EIO);
}

void out_reset_modifiers(struct out *out);

/* Discard the open containers. */
void out_drop(struct out *out);

/* True if a field becomes JSON. Values outside a container and after an error do not. */
bool out_wants_json(const struct out *out);

/* Return the key of the next member for the JSON stream. */
const char *out_json_key(const struct out *out, const char *key);

/* Print the text of a field, NULL if it has no value, according to the innermost container. */
void out_show(struct out *out, const char *key, const char *text);

struct table *table_new(const char *const columns[]);
void table_free(struct table *table);
int table_add_row(struct table *table);
int table_add_cell(struct table *table, const char *text, enum out_colour colour);
void table_print(const struct table *table, struct out *out);
