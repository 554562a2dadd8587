/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/columns.h"

#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "present/safe.h"

enum { GAP = 2 };

struct cell {
	size_t text; /* where in texts it begins */
	size_t width;
};

/* A line below a row. */
struct line {
	size_t row;
	size_t text; /* where in texts it begins */
};

struct columns {
	struct column columns[COLUMNS_MAX];
	size_t widths[COLUMNS_MAX];
	size_t count;
	bool save_line;
	struct buf texts; /* cells one after the other, each with its NUL */
	VEC(struct cell) cells;
	VEC(size_t) rules; /* rows that have dashes before them */
	VEC(struct line) lines;
};

struct columns *columns_new(const struct column *columns, size_t count)
{
	struct columns *made = xcalloc(1, sizeof(*made));

	made->count = count;
	for (size_t i = 0; i < count; i++) {
		made->columns[i] = columns[i];
		made->widths[i] = safe_width(columns[i].title);
	}
	return made;
}

void columns_free(struct columns *columns)
{
	if (!columns)
		return;
	buf_done(&columns->texts);
	vec_free(&columns->cells);
	vec_free(&columns->rules);
	vec_free(&columns->lines);
	free(columns);
}

void columns_add(struct columns *columns, const char *text)
{
	size_t column = columns->cells.count % columns->count;
	size_t cap = columns->columns[column].cap;
	size_t start = columns->texts.size;
	size_t width;

	safe_text(&columns->texts, text);
	buf_add_char(&columns->texts, '\0');
	width = safe_width(columns->texts.bytes + start);
	*vec_push(&columns->cells) = (struct cell){ start, width };
	if (cap && width > cap)
		width = cap;
	if (width > columns->widths[column])
		columns->widths[column] = width;
}

void columns_printf(struct columns *columns, const char *format, ...)
{
	char text[128];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	columns_add(columns, text);
}

void columns_rule(struct columns *columns)
{
	size_t row = columns->cells.count / columns->count;

	/* The titles have theirs. */
	if (row)
		*vec_push(&columns->rules) = row;
}

void columns_line(struct columns *columns, const char *text)
{
	size_t rows = columns->cells.count / columns->count;

	*vec_push(&columns->lines) = (struct line){ rows ? rows - 1 : 0, columns->texts.size };
	buf_add_str(&columns->texts, text);
	buf_add_char(&columns->texts, '\0');
}

void columns_save_line(struct columns *columns)
{
	columns->save_line = true;
}

static void pad(FILE *out, size_t count)
{
	static const char blanks[] = "                                ";
	const size_t most = sizeof(blanks) - 1;

	for (; count > most; count -= most)
		fwrite(blanks, 1, most, out);
	fwrite(blanks, 1, count, out);
}

static size_t blanks_of(const struct columns *columns, size_t column, size_t width)
{
	return width < columns->widths[column] ? columns->widths[column] - width : 0;
}

/* @over: how far the line is already too long; what fits into padding is taken back there. */
static size_t print_cell(const struct columns *columns, size_t column, const char *text,
			 size_t width, size_t over, FILE *out)
{
	size_t room = columns->widths[column];
	size_t blanks = blanks_of(columns, column, width);
	size_t taken = over < blanks ? over : blanks;
	bool last = column + 1 == columns->count;

	blanks -= taken;
	if (columns->columns[column].right)
		pad(out, blanks);
	fputs(text, out);
	if (!columns->columns[column].right && !last)
		pad(out, blanks);
	return over - taken + (width > room ? width - room : 0);
}

static void print_rule(const struct columns *columns, size_t indent, FILE *out)
{
	size_t width = GAP * (columns->count - 1);

	for (size_t i = 0; i < columns->count; i++)
		width += columns->widths[i];
	pad(out, indent);
	for (size_t i = 0; i < width; i++)
		fputc('-', out);
	fputc('\n', out);
}

static const struct cell *cell_at(const struct columns *columns, size_t row, size_t column)
{
	return &columns->cells.items[row * columns->count + column];
}

/* Would numbers from @column on be out of line, when the line is @over too long there? */
static bool moves_numbers(const struct columns *columns, size_t row, size_t column, size_t over)
{
	for (; over && column < columns->count; column++) {
		size_t blanks = blanks_of(columns, column, cell_at(columns, row, column)->width);

		if (columns->columns[column].right && over > blanks)
			return true;
		over -= over < blanks ? over : blanks;
	}
	return false;
}

static void print_row(const struct columns *columns, size_t row, size_t indent, FILE *out)
{
	size_t over = 0, start = indent;

	pad(out, indent);
	for (size_t i = 0; i < columns->count; i++) {
		const struct cell *cell = cell_at(columns, row, i);

		if (over && moves_numbers(columns, row, i, over)) {
			fputc('\n', out);
			pad(out, start);
			over = 0;
		} else if (i) {
			pad(out, GAP);
		}
		over = print_cell(columns, i, columns->texts.bytes + cell->text, cell->width, over,
				  out);
		start += columns->widths[i] + GAP;
	}
	fputc('\n', out);
}

/* Prints the lines below a row from @line on; returns the first one below another row. */
static size_t print_lines(const struct columns *columns, size_t line, size_t row, size_t indent,
			  FILE *out)
{
	for (; line < columns->lines.count && columns->lines.items[line].row == row; line++) {
		pad(out, indent);
		fprintf(out, "%s\n", columns->texts.bytes + columns->lines.items[line].text);
	}
	return line;
}

void columns_print(const struct columns *columns, size_t indent, FILE *out)
{
	size_t rows = columns->cells.count / columns->count;
	size_t rule = 0, line = 0;

	pad(out, indent);
	for (size_t i = 0; i < columns->count; i++) {
		const char *title = columns->columns[i].title;

		pad(out, i ? GAP : 0);
		print_cell(columns, i, title, safe_width(title), 0, out);
	}
	fputc('\n', out);
	if (!columns->save_line)
		print_rule(columns, indent, out);
	for (size_t row = 0; row < rows; row++) {
		if (rule < columns->rules.count && columns->rules.items[rule] == row) {
			print_rule(columns, indent, out);
			rule++;
		}
		print_row(columns, row, indent, out);
		line = print_lines(columns, line, row, indent, out);
	}
}
