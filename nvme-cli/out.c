// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "out-private.h"

#define JSON_PRETTY (JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE)
#define JSON_COMPACT (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

static bool takes_colours(FILE *stream)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

	return isatty(fileno(stream)) && term && strcmp(term, "dumb") && (!no_color || !*no_color);
}

struct out *out_new(enum out_format format, FILE *stream)
{
	struct out *out = calloc(1, sizeof(*out));

	if (!out)
		return NULL;
	out->format = format;
	out->stream = stream;
	out->coloured = format != OUT_JSON && takes_colours(stream);
	return out;
}

static void free_frame(struct frame *frame)
{
	table_free(frame->table);
	free(frame->joined);
}

static void drop_frames(struct out *out)
{
	if (out->depth)
		json_object_put(out->frames[0].node);
	while (out->depth)
		free_frame(&out->frames[--out->depth]);
}

void out_free(struct out *out)
{
	if (!out)
		return;
	drop_frames(out);
	while (out->kept) {
		struct kept *next = out->kept->next;

		free(out->kept);
		out->kept = next;
	}
	free(out);
}

bool out_is_json(const struct out *out)
{
	return out->format == OUT_JSON;
}

enum out_format out_format(const struct out *out)
{
	return out->format;
}

void out_compact(struct out *out)
{
	out->compact = true;
}

void out_fail(struct out *out, int err)
{
	if (!out->err)
		out->err = err;
}

static struct frame *top(struct out *out)
{
	return out->depth ? &out->frames[out->depth - 1] : NULL;
}

void out_reset_modifiers(struct out *out)
{
	out->label = NULL;
	out->colour = OUT_PLAIN;
	out->json_only = false;
	out->text_only = false;
}

bool out_attach(struct out *out, const char *key, struct json_object *node)
{
	struct frame *frame = top(out);
	int ret;

	if (!frame || !frame->node) {
		json_object_put(node);
		return false;
	}
	if (json_object_is_type(frame->node, json_type_array))
		ret = json_object_array_add(frame->node, node);
	else
		ret = json_object_object_add(frame->node, key ? key : "", node);
	if (ret) {
		json_object_put(node);
		out_fail(out, -ENOMEM);
	}
	return !ret;
}

static struct frame *push(struct out *out, enum frame_kind kind, const char *key)
{
	struct frame *frame;

	if (out->depth == MAX_DEPTH) {
		out_fail(out, -EOVERFLOW);
		return NULL;
	}
	frame = &out->frames[out->depth];
	memset(frame, 0, sizeof(*frame));
	frame->kind = kind;
	if (out_is_json(out) && !out->closed) {
		frame->node = kind == FRAME_ARRAY || kind == FRAME_TABLE ? json_object_new_array()
									 : json_object_new_object();
		if (!frame->node)
			out_fail(out, -ENOMEM);
		else if (out->depth && !out_attach(out, key, frame->node))
			frame->node = NULL;
	}
	out->depth++;
	out_reset_modifiers(out);
	return frame;
}

void out_object(struct out *out, const char *key)
{
	push(out, FRAME_OBJECT, key);
}

void out_array(struct out *out, const char *key)
{
	const char *label = out->label ? out->label : key;
	struct frame *frame = push(out, FRAME_ARRAY, key);

	if (frame)
		frame->label = label;
}

void out_listing(struct out *out, const char *key, enum out_label_style style, int width)
{
	struct frame *frame = push(out, FRAME_LISTING, key);

	if (!frame)
		return;
	frame->style = style;
	frame->width = width;
}

void out_label_width(struct out *out, int width)
{
	struct frame *frame = top(out);

	if (frame)
		frame->width = width;
}

void out_table_columns(struct out *out, const char *key, const char *const columns[])
{
	struct frame *frame = push(out, FRAME_TABLE, key);

	if (!frame || out_is_json(out))
		return;
	frame->table = table_new(columns);
	if (!frame->table)
		out_fail(out, -ENOMEM);
}

void out_table_rule(struct out *out)
{
	struct frame *frame = top(out);

	if (frame && frame->table)
		frame->table->rule = true;
}

void out_table_always(struct out *out)
{
	struct frame *frame = top(out);

	if (frame && frame->table)
		frame->table->always = true;
}

static void pop(struct out *out)
{
	free_frame(top(out));
	out->depth--;
}

void out_row(struct out *out)
{
	struct table *table;

	if (out->depth && top(out)->kind == FRAME_ROW)
		pop(out);
	if (!out->depth || top(out)->kind != FRAME_TABLE) {
		out_fail(out, -EINVAL);
		return;
	}
	table = top(out)->table;
	if (table && table_add_row(table))
		out_fail(out, -ENOMEM);
	push(out, FRAME_ROW, NULL);
}

void out_document(struct out *out, struct json_object *node)
{
	const char *text;

	if (!node || out->closed) {
		json_object_put(node);
		return;
	}
	text = json_object_to_json_string_ext(node, out->compact ? JSON_COMPACT : JSON_PRETTY);
	if (text && !out->err) {
		print_json(out->stream, text);
		fputc('\n', out->stream);
	} else {
		out_fail(out, -ENOMEM);
	}
	json_object_put(node);
}

void out_json_text(struct out *out, const char *document)
{
	if (!out_is_json(out) || out->depth || out->closed || out->err)
		return;
	print_json(out->stream, document);
	fputc('\n', out->stream);
}

static void print_line(struct out *out, const struct frame *frame, const char *label,
		       const char *value)
{
	int pad = frame->width - (int)strlen(label);

	if (frame->style == OUT_PAD_COLON) {
		fprintf(out->stream, "%*s%-*s: ", out->indent, "", frame->width, label);
	} else {
		fprintf(out->stream, "%*s%s:%*s", out->indent, "", label, pad > 2 ? pad - 1 : 1,
			"");
	}
	if (out->coloured && out->colour)
		fprintf(out->stream, "%s%s" COLOUR_END "\n", colour_start(out->colour), value);
	else
		fprintf(out->stream, "%s\n", value);
}

/* Appends to what an array shows in the cell or line that it stands in. */
static void join(struct out *out, struct frame *frame, const char *text)
{
	char *joined;

	if (asprintf(&joined, "%s%s%s", frame->joined ? frame->joined : "",
		     frame->joined ? "," : "", text) < 0) {
		out_fail(out, -ENOMEM);
		return;
	}
	free(frame->joined);
	frame->joined = joined;
}

void out_show(struct out *out, const char *key, const char *text)
{
	struct frame *frame = top(out);

	if (!frame || out->json_only)
		return;
	switch (frame->kind) {
	case FRAME_LISTING:
		print_line(out, frame, out->label ? out->label : key, text ? text : "");
		break;
	case FRAME_ROW:
		if (frame[-1].table &&
		    table_add_cell(frame[-1].table, text && *text ? text : "-", out->colour))
			out_fail(out, -ENOMEM);
		break;
	case FRAME_ARRAY:
		join(out, frame, text ? text : "-");
		break;
	case FRAME_OBJECT:
	case FRAME_TABLE:
		break;
	}
}

int out_end(struct out *out)
{
	struct frame frame;

	if (out->depth && top(out)->kind == FRAME_ROW)
		pop(out);
	if (!out->depth)
		return 0;
	frame = *top(out);
	out->depth--;
	if (frame.table)
		table_print(frame.table, out);
	if (frame.kind == FRAME_ARRAY && out->depth && !out_is_json(out)) {
		bool in_row = top(out)->kind == FRAME_ROW;

		if (frame.joined || in_row)
			out_show(out, frame.label, frame.joined);
	}
	if (!out->depth)
		out_document(out, frame.node);
	free_frame(&frame);
	out_reset_modifiers(out);
	return 0;
}

bool out_error(struct out *out, const char *message, const char *type)
{
	drop_frames(out);
	if (!out_is_json(out) || out->closed)
		return false;
	out_object(out, NULL);
	out_str(out, "error", message);
	if (type)
		out_str(out, "type", type);
	out_end(out);
	out->closed = true;
	return true;
}

void out_flush(struct out *out)
{
	fflush(out->stream);
}

int out_finish(struct out *out)
{
	errno = 0;
	if (fflush(out->stream) || ferror(out->stream))
		out_fail(out, errno ? -errno : -EIO);
	return out->err;
}
