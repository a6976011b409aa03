// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of the renderer: cells are kept until the widths of their columns are known. */
#include "out-private.h"

static bool is_layout(const char *s)
{
	return s[strspn(s, "r0123456789")] == '\0';
}

static int parse_column(struct column *column, const char *spec)
{
	const char *colon = strrchr(spec, ':');
	size_t length = strlen(spec);

	if (colon && is_layout(colon + 1)) {
		length = (size_t)(colon - spec);
		column->right = colon[1] == 'r';
		column->width = atoi(colon + 1 + column->right);
	}
	column->header = strndup(spec, length);
	if (!column->header)
		return -ENOMEM;
	if (column->width < (int)length)
		column->width = (int)length;
	return 0;
}

struct table *table_new(const char *const columns[])
{
	struct table *table = calloc(1, sizeof(*table));
	size_t n = 0;

	if (!table)
		return NULL;
	while (columns[n])
		n++;
	table->columns = calloc(n ? n : 1, sizeof(*table->columns));
	if (!table->columns)
		goto fail;
	table->n_columns = n;
	for (size_t i = 0; i < n; i++)
		if (parse_column(&table->columns[i], columns[i]))
			goto fail;
	return table;
fail:
	table_free(table);
	return NULL;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->n_rows * table->n_columns; i++)
		free(table->cells[i].text);
	for (size_t i = 0; i < table->n_columns; i++)
		free(table->columns[i].header);
	free(table->cells);
	free(table->columns);
	free(table);
}

int table_add_row(struct table *table)
{
	size_t n = table->n_columns;

	if (table->n_rows == table->rows_allocated) {
		size_t rows = table->rows_allocated ? 2 * table->rows_allocated : 16;
		struct cell *cells = reallocarray(table->cells, rows * n, sizeof(*cells));

		if (!cells)
			return -ENOMEM;
		table->cells = cells;
		table->rows_allocated = rows;
	}
	memset(&table->cells[table->n_rows * n], 0, n * sizeof(*table->cells));
	table->n_rows++;
	table->column = 0;
	return 0;
}

int table_add_cell(struct table *table, const char *text, enum out_colour colour)
{
	struct column *column;
	struct cell *cell;

	if (!table->n_rows || table->column == table->n_columns)
		return 0;
	column = &table->columns[table->column];
	cell = &table->cells[(table->n_rows - 1) * table->n_columns + table->column++];
	cell->text = strdup(text);
	if (!cell->text)
		return -ENOMEM;
	cell->colour = colour;
	if (column->width < (int)strlen(text))
		column->width = (int)strlen(text);
	return 0;
}

static void print_cell(const struct table *table, size_t column, const char *text,
		       enum out_colour colour, const struct out *out)
{
	const struct column *c = &table->columns[column];
	bool last = column + 1 == table->n_columns;
	int pad = c->width - (int)strlen(text);

	if (c->right)
		fprintf(out->stream, "%*s", pad, "");
	if (out->coloured && colour)
		fprintf(out->stream, "%s%s" ESCAPE_COLOUR_END, escape_colour(colour), text);
	else
		fputs(text, out->stream);
	if (table->grid)
		fprintf(out->stream, "%*s%c", c->right ? 0 : pad, "", last ? '\n' : '|');
	else if (last)
		fputc('\n', out->stream);
	else
		fprintf(out->stream, "%*s", (c->right ? 0 : pad) + (table->rule ? 1 : 2), "");
}

static void print_header(const struct table *table, const struct out *out)
{
	static const char dashes[] =
		"----------------------------------------------------------------";
	char between = table->grid ? '+' : ' ';

	fprintf(out->stream, "%*s", out->indent, "");
	for (size_t i = 0; i < table->n_columns; i++)
		print_cell(table, i, table->columns[i].header, table->rule ? OUT_PLAIN : OUT_BOLD,
			   out);
	if (!table->rule)
		return;
	fprintf(out->stream, "%*s", out->indent, "");
	for (size_t i = 0; i < table->n_columns; i++) {
		for (int left = table->columns[i].width; left > 0; left -= (int)sizeof(dashes) - 1)
			fprintf(out->stream, "%.*s", left, dashes);
		fputc(i + 1 == table->n_columns ? '\n' : between, out->stream);
	}
}

void table_print(const struct table *table, struct out *out)
{
	if (!table->n_columns || (!table->n_rows && !table->always))
		return;
	print_header(table, out);
	for (size_t row = 0; row < table->n_rows; row++) {
		fprintf(out->stream, "%*s", out->indent, "");
		for (size_t i = 0; i < table->n_columns; i++) {
			const struct cell *cell = &table->cells[row * table->n_columns + i];

			print_cell(table, i, cell->text ? cell->text : "", cell->colour, out);
		}
		out_wrote(out);
	}
}
