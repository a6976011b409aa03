// SPDX-License-Identifier: GPL-2.0-or-later
#include "shared/text.h"
#include "out-private.h"

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
	out->json.pretty = true;
	return out;
}

static void free_frame(struct frame *frame)
{
	table_free(frame->table);
	free(frame->joined);
}

void out_drop(struct out *out)
{
	while (out->depth)
		free_frame(&out->frames[--out->depth]);
	stream_restart(&out->json);
}

void out_free(struct out *out)
{
	if (!out)
		return;
	out_drop(out);
	while (out->kept) {
		struct kept *next = out->kept->next;

		free(out->kept);
		out->kept = next;
	}
	free(out->json.text);
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

FILE *out_redirect(struct out *out, FILE *stream)
{
	FILE *until_now = out->stream;

	out->stream = stream;
	return until_now;
}

void out_compact(struct out *out)
{
	out->json.pretty = false;
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

static bool is_list(const struct frame *frame)
{
	return frame->kind == FRAME_ARRAY || frame->kind == FRAME_TABLE;
}

bool out_wants_json(const struct out *out)
{
	return out_is_json(out) && out->depth && !out->closed && !out->text_only;
}

const char *out_json_key(const struct out *out, const char *key)
{
	if (!out->depth || is_list(&out->frames[out->depth - 1]))
		return NULL;
	return key ? key : "";
}

static void open_json(struct out *out, const struct frame *frame, const char *key)
{
	if (!out_is_json(out) || out->closed)
		return;
	key = out_json_key(out, key);
	if (is_list(frame))
		stream_list(&out->json, key);
	else
		stream_dict(&out->json, key);
}

static void close_json(struct out *out, const struct frame *frame)
{
	if (!out_is_json(out) || out->closed)
		return;
	if (is_list(frame))
		stream_end_list(&out->json);
	else
		stream_end_dict(&out->json);
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
	open_json(out, frame, key);
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

void out_table_grid(struct out *out)
{
	struct frame *frame = top(out);

	if (frame && frame->table)
		frame->table->rule = frame->table->grid = true;
}

void out_table_always(struct out *out)
{
	struct frame *frame = top(out);

	if (frame && frame->table)
		frame->table->rule = frame->table->always = true;
}

/* End the open row, if any: rows have no out_end() of their own. */
static void end_row(struct out *out)
{
	struct frame *frame = top(out);

	if (!frame || frame->kind != FRAME_ROW)
		return;
	close_json(out, frame);
	free_frame(frame);
	out->depth--;
}

void out_row(struct out *out)
{
	struct table *table;

	end_row(out);
	if (!out->depth || top(out)->kind != FRAME_TABLE) {
		out_fail(out, -EINVAL);
		return;
	}
	table = top(out)->table;
	if (table && table_add_row(table))
		out_fail(out, -ENOMEM);
	push(out, FRAME_ROW, NULL);
}

static void print_document(struct out *out)
{
	char *text;

	if (!out_is_json(out) || out->closed)
		return;
	text = stream_finish(&out->json);
	if (!text)
		out_fail(out, -ENOMEM);
	else if (!out->err)
		fprintf(out->stream, "%s\n", text);
	out_wrote(out);
	stream_restart(&out->json);
}

void out_json_text(struct out *out, const char *document)
{
	if (!out_is_json(out) || out->depth || out->closed || out->err)
		return;
	escape_print_json(out->stream, document);
	fputc('\n', out->stream);
	out_wrote(out);
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
		fprintf(out->stream, "%s%s" ESCAPE_COLOUR_END "\n", escape_colour(out->colour),
			value);
	else
		fprintf(out->stream, "%s\n", value);
	out_wrote(out);
}

/* Append to the text of an array for its cell or line. */
static void join(struct out *out, struct frame *frame, const char *text)
{
	char *joined = text_format("%s%s%s", frame->joined ? frame->joined : "",
				   frame->joined ? "," : "", text);

	if (!joined) {
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

	end_row(out);
	if (!out->depth)
		return 0;
	frame = *top(out);
	out->depth--;
	close_json(out, &frame);
	if (frame.table)
		table_print(frame.table, out);
	if (frame.kind == FRAME_ARRAY && out->depth && !out_is_json(out)) {
		bool in_row = top(out)->kind == FRAME_ROW;

		if (frame.joined || in_row)
			out_show(out, frame.label, frame.joined);
	}
	if (!out->depth)
		print_document(out);
	free_frame(&frame);
	out_reset_modifiers(out);
	return 0;
}

int out_ends(struct out *out, int n)
{
	while (n--)
		out_end(out);
	return 0;
}

void out_flush(struct out *out)
{
	fflush(out->stream);
	out_wrote(out);
}

int out_finish(struct out *out)
{
	out_flush(out);
	return out->err;
}
