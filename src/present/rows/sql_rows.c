/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/rows/sql_rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_add.h"
#include "base/text.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "present/fields.h"
#include "present/safe.h"

enum {
	FIRST_ROWS = 1000, /* decide how wide columns are */
	WIDTH_CAP = 60,	   /* of a column; longer texts push what follows, but on no screen */
	LEAST_TEXT = 16,   /* a screen narrows no column more */
	GAP = 2,
};

struct column_shape {
	char *name;
	size_t width;
	bool is_number; /* no value so far is text or bytes */
};

struct sql_rows {
	enum sql_rows_format format;
	const char *sql;
	FILE *out;
	struct column_shape *columns;
	size_t count;
	size_t printed;	      /* rows */
	size_t screen;	      /* most columns of a line; 0: any number */
	bool begun;	      /* the titles were printed */
	bool records;	      /* a line for each value: the columns do not fit the screen */
	size_t shown;	      /* records */
	struct buf texts;     /* cells of the first rows, each with its NUL */
	VEC(size_t) cells;    /* offset of each cell */
	struct fields fields; /* of CSV and JSON */
	struct buf line, text;
};

/* --- values as text --- */

/* A NUL inside a text would end it, so it is shown as \x00. */
static void add_text(struct buf *buf, const char *text, size_t size)
{
	const char *end = text + size;

	for (const char *nul; text < end && (nul = memchr(text, 0, (size_t)(end - text)));
	     text = nul + 1) {
		buf_add(buf, text, (size_t)(nul - text));
		buf_add_str(buf, "\\x00");
	}
	buf_add(buf, text, (size_t)(end - text));
}

/* The fewest digits that give the same number when read back. */
static void add_exact(struct buf *buf, double real)
{
	char digits[32];

	for (int precision = 15; precision <= 17; precision++) {
		snprintf(digits, sizeof(digits), "%.*g", precision, real);
		if (strtod(digits, NULL) == real)
			break;
	}
	buf_add_str(buf, digits);
	if (!strpbrk(digits, ".en"))
		buf_add_str(buf, ".0");
}

/* For people: up to six decimals, without trailing zeros. */
static void add_rounded(struct buf *buf, double real)
{
	char digits[64];
	size_t length;

	if (real != 0 && (fabs(real) < 1e-4 || fabs(real) >= 1e15)) {
		buf_printf(buf, "%.6g", real);
		return;
	}
	snprintf(digits, sizeof(digits), "%.6f", real);
	length = strlen(digits);
	while (length > 2 && digits[length - 1] == '0' && digits[length - 2] != '.')
		length--;
	buf_add(buf, digits, length);
}

static void add_plain(const struct sql_rows *rows, struct buf *buf, const struct value *value)
{
	switch (value->type) {
	case VALUE_NULL:
		buf_add_str(buf, rows->format == SQL_ROWS_TEXT ? "NULL" : "");
		break;
	case VALUE_INTEGER:
		buf_printf(buf, "%" PRId64, value->integer);
		break;
	case VALUE_REAL:
		if (rows->format == SQL_ROWS_TEXT)
			add_rounded(buf, value->real);
		else
			add_exact(buf, value->real);
		break;
	case VALUE_TEXT:
		add_text(buf, value->text, value->size);
		break;
	case VALUE_BYTES:
		text_add_hex(buf, value->bytes, value->size);
		break;
	}
}

/* --- text --- */

static void print_whole_cell(const struct sql_rows *rows, size_t at, const char *text)
{
	const struct column_shape *column = &rows->columns[at];
	size_t width = safe_width(text);
	int blanks = width < column->width ? (int)(column->width - width) : 0;
	bool last = at + 1 == rows->count;

	if (at)
		fprintf(rows->out, "%*s", GAP, "");
	if (blanks && column->is_number)
		fprintf(rows->out, "%*s", blanks, "");
	fputs(text, rows->out);
	if (blanks && !column->is_number && !last)
		fprintf(rows->out, "%*s", blanks, "");
	if (last)
		fputc('\n', rows->out);
}

static size_t widest_name(const struct sql_rows *rows)
{
	size_t widest = 0;

	for (size_t i = 0; i < rows->count; i++) {
		size_t width = safe_width(rows->columns[i].name);

		if (width > widest)
			widest = width;
	}
	return widest < rows->screen / 2 ? widest : rows->screen / 2;
}

static void print_dashes(const struct sql_rows *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fputc('-', rows->out);
	fputc('\n', rows->out);
}

/* "name  value", below a line that begins the record. */
static void print_value(struct sql_rows *rows, size_t at, const char *text)
{
	size_t width = widest_name(rows), room = rows->screen - width - GAP;
	struct buf line = { 0 };

	if (!at) {
		buf_printf(&line, "-- row %zu ", ++rows->shown);
		fputs(buf_text(&line), rows->out);
		print_dashes(rows, rows->screen > line.size ? rows->screen - line.size : 0);
		buf_clear(&line);
	}
	safe_text_middle(&line, rows->columns[at].name, width);
	width += GAP - safe_width(buf_text(&line));
	buf_printf(&line, "%*s", (int)width, "");
	safe_text_middle(&line, text, room > LEAST_TEXT ? room : LEAST_TEXT);
	fprintf(rows->out, "%s\n", buf_text(&line));
	buf_done(&line);
}

static void print_cell(struct sql_rows *rows, size_t at, const char *text)
{
	const struct column_shape *column = &rows->columns[at];
	struct buf cut = { 0 };

	if (rows->records) {
		print_value(rows, at, text);
		return;
	}
	if (rows->screen && !column->is_number && safe_width(text) > column->width)
		safe_text_middle(&cut, text, column->width);
	print_whole_cell(rows, at, cut.size ? buf_text(&cut) : text);
	buf_done(&cut);
}

static void widen(const struct sql_rows *rows, struct column_shape *column, const char *text)
{
	size_t width = safe_width(text);

	if (width > WIDTH_CAP && !rows->screen)
		width = WIDTH_CAP;
	if (width > column->width)
		column->width = width;
}

static size_t line_width(const struct sql_rows *rows)
{
	size_t width = GAP * (rows->count - 1);

	for (size_t i = 0; i < rows->count; i++)
		width += rows->columns[i].width;
	return width;
}

/* The widest column of texts that may become narrower; NULL: none may. */
static struct column_shape *widest_text(struct sql_rows *rows)
{
	struct column_shape *widest = NULL;

	for (size_t i = 0; i < rows->count; i++) {
		struct column_shape *column = &rows->columns[i];

		if (!column->is_number && column->width > LEAST_TEXT &&
		    (!widest || column->width > widest->width))
			widest = column;
	}
	return widest;
}

static void narrow(struct sql_rows *rows)
{
	struct column_shape *widest;

	while (rows->screen && line_width(rows) > rows->screen && (widest = widest_text(rows)))
		widest->width--;
	rows->records = rows->screen && line_width(rows) > rows->screen;
}

static void print_titles(struct sql_rows *rows)
{
	if (rows->records)
		return;
	for (size_t i = 0; i < rows->count; i++)
		print_cell(rows, i, rows->columns[i].name);
	print_dashes(rows, line_width(rows));
}

/* Prints the titles and the rows that were held back to find the widths. */
static void print_first(struct sql_rows *rows)
{
	rows->begun = true;
	narrow(rows);
	print_titles(rows);
	for (size_t i = 0; i < rows->cells.count; i++)
		print_cell(rows, i % rows->count, rows->texts.bytes + rows->cells.items[i]);
	buf_done(&rows->texts);
	vec_free(&rows->cells);
}

static void hold(struct sql_rows *rows, size_t at, const struct value *value, const char *text)
{
	struct column_shape *column = &rows->columns[at];

	*vec_push(&rows->cells) = rows->texts.size;
	buf_add(&rows->texts, text, strlen(text) + 1);
	widen(rows, column, text);
	if (value->type == VALUE_TEXT || value->type == VALUE_BYTES)
		column->is_number = false;
}

static void add_text_row(struct sql_rows *rows, const struct value *values)
{
	if (!rows->begun && rows->printed == FIRST_ROWS)
		print_first(rows);
	for (size_t i = 0; i < rows->count; i++) {
		buf_clear(&rows->text);
		buf_clear(&rows->line);
		add_plain(rows, &rows->text, &values[i]);
		safe_text(&rows->line, buf_text(&rows->text));
		if (rows->begun)
			print_cell(rows, i, buf_text(&rows->line));
		else
			hold(rows, i, &values[i], buf_text(&rows->line));
	}
}

/* --- CSV and JSON --- */

static void begin_csv(struct sql_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		fields_text(&rows->fields, NULL, rows->columns[i].name);
	fields_end_row(&rows->fields);
}

static void begin_json(struct sql_rows *rows)
{
	buf_clear(&rows->text);
	json_add_text(&rows->text, "query", rows->sql);
	json_add_begin(&rows->text, "columns", '[');
	for (size_t i = 0; i < rows->count; i++)
		json_add_text(&rows->text, NULL, rows->columns[i].name);
	fprintf(rows->out, "{\"header\":{%s]},\n\"rows\":[", buf_text(&rows->text));
}

static void add_field(struct sql_rows *rows, const char *name, const struct value *value)
{
	struct fields *fields = &rows->fields;

	buf_clear(&rows->text);
	add_plain(rows, &rows->text, value);
	if (value->type == VALUE_NULL)
		fields_nothing(fields, name);
	else if (value->type == VALUE_REAL && fields->json && isinf(value->real))
		/* JSON has no infinity, but readers turn a too large number into it. */
		buf_add_str(fields_raw(fields, name), value->real > 0 ? "9e999" : "-9e999");
	else if (value->type == VALUE_REAL || value->type == VALUE_INTEGER)
		buf_add_str(fields_raw(fields, name), buf_text(&rows->text));
	else
		fields_text(fields, name, buf_text(&rows->text));
}

static void add_fields(struct sql_rows *rows, const struct value *values)
{
	for (size_t i = 0; i < rows->count; i++)
		add_field(rows, rows->columns[i].name, &values[i]);
	/* An empty line would not be a row. */
	if (!rows->fields.line.size)
		buf_add_str(&rows->fields.line, "\"\"");
	fields_end_row(&rows->fields);
}

/* --- all formats --- */

/* Adds a number to a name that an earlier column has: JSON and many readers of CSV need unique
 * names. */
static char *unique_name(const struct sql_rows *rows, const char *name)
{
	char *made = xstrdup(name);
	unsigned number = 1;

	for (size_t i = 0; i < rows->count; i++) {
		if (strcmp(rows->columns[i].name, made) != 0)
			continue;
		free(made);
		made = xasprintf("%s:%u", name, ++number);
		i = (size_t)-1;
	}
	return made;
}

struct sql_rows *sql_rows_new(enum sql_rows_format format, const char *sql,
			      const char *const *names, size_t count, FILE *out)
{
	struct sql_rows *rows = xcalloc(1, sizeof(*rows));

	rows->format = format;
	rows->sql = sql;
	rows->out = out;
	rows->fields = (struct fields){ .json = format == SQL_ROWS_JSON, .out = out };
	rows->columns = xcalloc(count + 1, sizeof(*rows->columns));
	for (; rows->count < count; rows->count++) {
		struct column_shape *column = &rows->columns[rows->count];

		buf_clear(&rows->text);
		if (format == SQL_ROWS_TEXT)
			safe_text(&rows->text, names[rows->count]);
		else
			buf_add_str(&rows->text, names[rows->count]);
		column->name = unique_name(rows, buf_text(&rows->text));
		column->is_number = true;
		widen(rows, column, column->name);
	}
	if (format == SQL_ROWS_CSV)
		begin_csv(rows);
	else if (format == SQL_ROWS_JSON)
		begin_json(rows);
	return rows;
}

void sql_rows_free(struct sql_rows *rows)
{
	if (!rows)
		return;
	for (size_t i = 0; i < rows->count; i++)
		free(rows->columns[i].name);
	free(rows->columns);
	buf_done(&rows->texts);
	vec_free(&rows->cells);
	fields_done(&rows->fields);
	buf_done(&rows->line);
	buf_done(&rows->text);
	free(rows);
}

void sql_rows_fit(struct sql_rows *rows, size_t columns)
{
	rows->screen = columns;
}

void sql_rows_add(struct sql_rows *rows, const struct value *values)
{
	if (rows->format == SQL_ROWS_TEXT)
		add_text_row(rows, values);
	else
		add_fields(rows, values);
	rows->printed++;
}

void sql_rows_finish(struct sql_rows *rows, bool complete)
{
	if (rows->format == SQL_ROWS_TEXT && !rows->begun)
		print_first(rows);
	else if (rows->format == SQL_ROWS_JSON)
		fprintf(rows->out, "\n],\n\"complete\":%s}\n", complete ? "true" : "false");
}
