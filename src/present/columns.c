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
	size_t text; /* offset in texts */
	size_t width;
};

/* A line below a row. */
struct line {
	size_t row;
	size_t text; /* offset in texts */
};

enum way {
	WAY_KEEP,    /* cells are kept until all are printed */
	WAY_MEASURE, /* cells are measured and forgotten */
	WAY_PRINT,   /* rows are printed and forgotten */
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
	enum way way;
	size_t next;   /* column of the next cell, unless cells are kept */
	size_t indent; /* for WAY_PRINT */
	FILE *out;
	struct buf row;
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
	buf_done(&columns->row);
	free(columns);
}

void columns_rule(struct columns *columns)
{
	size_t row = columns->cells.count / columns->count;

	/* The titles have their own rule. */
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

static void pad(struct buf *line, size_t count)
{
	static const char blanks[] = "                                ";
	const size_t most = sizeof(blanks) - 1;

	for (; count > most; count -= most)
		buf_add(line, blanks, most);
	buf_add(line, blanks, count);
}

static size_t blanks_of(const struct columns *columns, size_t column, size_t width)
{
	return width < columns->widths[column] ? columns->widths[column] - width : 0;
}

/* @over: by how much the line is already too long. Padding of this cell makes up for it if it can.
 * Returns what is left, plus what this cell adds. */
static size_t print_cell(const struct columns *columns, size_t column, const char *text,
			 size_t width, size_t over, struct buf *line)
{
	size_t room = columns->widths[column];
	size_t blanks = blanks_of(columns, column, width);
	size_t taken = over < blanks ? over : blanks;
	bool last = column + 1 == columns->count;

	blanks -= taken;
	if (columns->columns[column].right)
		pad(line, blanks);
	buf_add_str(line, text);
	if (!columns->columns[column].right && !last)
		pad(line, blanks);
	return over - taken + (width > room ? width - room : 0);
}

static void print_rule(const struct columns *columns, size_t indent, struct buf *line)
{
	size_t width = GAP * (columns->count - 1);

	for (size_t i = 0; i < columns->count; i++)
		width += columns->widths[i];
	pad(line, indent);
	for (size_t i = 0; i < width; i++)
		buf_add_char(line, '-');
	buf_add_char(line, '\n');
}

static const struct cell *cell_at(const struct columns *columns, size_t row, size_t column)
{
	return &columns->cells.items[row * columns->count + column];
}

/* True if a line that is @over too long would move numbers from @column on out of line. */
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

static void print_row(const struct columns *columns, size_t row, size_t indent, struct buf *line)
{
	size_t over = 0, start = indent;

	pad(line, indent);
	for (size_t i = 0; i < columns->count; i++) {
		const struct cell *cell = cell_at(columns, row, i);

		if (over && moves_numbers(columns, row, i, over)) {
			buf_add_char(line, '\n');
			pad(line, start);
			over = 0;
		} else if (i) {
			pad(line, GAP);
		}
		over = print_cell(columns, i, columns->texts.bytes + cell->text, cell->width, over,
				  line);
		start += columns->widths[i] + GAP;
	}
	buf_add_char(line, '\n');
}

/* Prints the lines below a row from @line on; returns the first one below another row. */
static size_t print_lines(const struct columns *columns, size_t line, size_t row, size_t indent,
			  struct buf *text)
{
	for (; line < columns->lines.count && columns->lines.items[line].row == row; line++) {
		pad(text, indent);
		buf_add_str(text, columns->texts.bytes + columns->lines.items[line].text);
		buf_add_char(text, '\n');
	}
	return line;
}

static void print_titles(const struct columns *columns, size_t indent, struct buf *line)
{
	pad(line, indent);
	for (size_t i = 0; i < columns->count; i++) {
		const char *title = columns->columns[i].title;

		pad(line, i ? GAP : 0);
		print_cell(columns, i, title, safe_width(title), 0, line);
	}
	buf_add_char(line, '\n');
	if (!columns->save_line)
		print_rule(columns, indent, line);
}

static void flush(struct buf *text, FILE *out)
{
	fwrite(text->bytes, 1, text->size, out);
	buf_clear(text);
}

void columns_print(const struct columns *columns, size_t indent, FILE *out)
{
	size_t rows = columns->cells.count / columns->count;
	size_t rule = 0, line = 0;
	struct buf text = { 0 };

	print_titles(columns, indent, &text);
	for (size_t row = 0; row < rows; row++) {
		if (rule < columns->rules.count && columns->rules.items[rule] == row) {
			print_rule(columns, indent, &text);
			rule++;
		}
		print_row(columns, row, indent, &text);
		line = print_lines(columns, line, row, indent, &text);
		flush(&text, out);
	}
	flush(&text, out);
	buf_done(&text);
}

void columns_measure(struct columns *columns)
{
	columns->way = WAY_MEASURE;
}

void columns_begin(struct columns *columns, size_t indent, FILE *out)
{
	columns->way = WAY_PRINT;
	columns->indent = indent;
	columns->out = out;
	print_titles(columns, indent, &columns->row);
	flush(&columns->row, out);
}

static size_t next_column(const struct columns *columns)
{
	return columns->way == WAY_KEEP ? columns->cells.count % columns->count : columns->next;
}

static bool is_full(const struct columns *columns, size_t column)
{
	size_t cap = columns->columns[column].cap;

	return cap && columns->widths[column] >= cap;
}

/* Counts a cell of the current row. Prints a complete row if rows are not kept, and forgets it. */
static void pass_cell(struct columns *columns)
{
	columns->next = (columns->next + 1) % columns->count;
	if (columns->next)
		return;
	if (columns->way == WAY_PRINT) {
		print_row(columns, 0, columns->indent, &columns->row);
		flush(&columns->row, columns->out);
	}
	columns->cells.count = 0;
	buf_clear(&columns->texts);
}

bool columns_skip(struct columns *columns)
{
	if (columns->way != WAY_MEASURE || !is_full(columns, columns->next))
		return false;
	pass_cell(columns);
	return true;
}

/* Makes a cell of the text from @start on. */
static void end_cell(struct columns *columns, size_t start)
{
	size_t column = next_column(columns);
	size_t cap = columns->columns[column].cap;
	size_t width;

	buf_add_char(&columns->texts, '\0');
	width = safe_width(columns->texts.bytes + start);
	*vec_push(&columns->cells) = (struct cell){ start, width };
	if (cap && width > cap)
		width = cap;
	if (width > columns->widths[column])
		columns->widths[column] = width;
	if (columns->way != WAY_KEEP)
		pass_cell(columns);
}

void columns_add(struct columns *columns, const char *text)
{
	size_t start = columns->texts.size;

	safe_text(&columns->texts, text);
	end_cell(columns, start);
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

void columns_fixed(struct columns *columns, double number, unsigned decimals)
{
	size_t start = columns->texts.size;

	buf_add_fixed(&columns->texts, number, decimals);
	end_cell(columns, start);
}

void columns_decimal(struct columns *columns, uint64_t number)
{
	size_t start = columns->texts.size;

	buf_add_decimal(&columns->texts, number);
	end_cell(columns, start);
}
