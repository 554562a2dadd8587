/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/columns.h"

#include <stdarg.h>
#include <string.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "present/figures.h"
#include "present/paragraph.h"
#include "present/safe.h"

enum {
	GAP = 2,
	NAME_CAP = 40,	  /* of the texts of keys */
	LEAST_TEXT = 16,  /* what a screen leaves a text column before spare columns go */
	LEAST_OF_ALL = 5, /* and afterwards */
	FILE_TEXT = 100,  /* the width of a text column without a cap in a file or a pipe */
	BAR = 10,	  /* a bar's width, unless the screen is too narrow */
	BAR_STEPS = 8,	  /* eighths of a character */
};

struct cell {
	size_t text; /* offset in texts */
	size_t width;
	float bar; /* 0 to 1; below 0: a text */
	enum tint tint;
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

static const float NO_BAR = -1;

struct columns {
	struct column columns[COLUMNS_MAX];
	size_t widths[COLUMNS_MAX];
	size_t short_widths[COLUMNS_MAX]; /* with the files of paths only */
	bool spare[COLUMNS_MAX], hidden[COLUMNS_MAX];
	size_t count;
	size_t screen; /* most columns of a line; 0: any number */
	size_t most;   /* the same for a line with texts to shorten, also in a file or a pipe */
	bool colour, utf8;
	enum tint tint; /* of the next cell */
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
	struct buf cell; /* see columns_cell */
};

size_t columns_of_keys(const struct key_list *keys, struct column *ret_columns)
{
	for (size_t i = 0; i < keys->count; i++)
		ret_columns[i] = (struct column){ .title = keys->items[i]->name,
						  .right = keys->items[i]->kind == KEY_NUMBER,
						  .cap = NAME_CAP };
	return keys->count;
}

struct columns *columns_new(const struct column *columns, size_t count)
{
	struct columns *made = xcalloc(1, sizeof(*made));

	made->count = count;
	for (size_t i = 0; i < count; i++) {
		made->columns[i] = columns[i];
		made->widths[i] = made->short_widths[i] = safe_width(columns[i].title);
	}
	return made;
}

struct columns *columns_for(const struct screen *screen, const struct column *columns, size_t count)
{
	struct columns *made = columns_new(columns, count);

	made->screen = screen_width(screen);
	made->most = screen_names_width(screen);
	made->colour = screen->colour;
	made->utf8 = screen->utf8;
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
	buf_done(&columns->cell);
	free(columns);
}

void columns_spare(struct columns *columns, size_t column)
{
	columns->spare[column] = true;
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

/* ---- the width of a screen ---- */

static bool is_text(const struct columns *columns, size_t column)
{
	return !columns->columns[column].right;
}

static size_t line_width(const struct columns *columns, size_t indent)
{
	size_t width = indent;

	for (size_t i = 0; i < columns->count; i++)
		width += columns->hidden[i] ? 0 : columns->widths[i] + (i ? GAP : 0);
	return width;
}

/* What text columns lose where a line is too narrow for them, one after the other. */
enum narrowing { LOSE_FOLDERS, LOSE_MIDDLES, LOSE_NEARLY_ALL };

/* Takes a column from the widest text that may become narrower; false: none may. */
static bool narrow_text(struct columns *columns, enum narrowing narrowing)
{
	size_t widest = columns->count, most = 0;

	for (size_t i = 0; i < columns->count; i++) {
		const size_t leasts[] = { [LOSE_FOLDERS] = columns->short_widths[i],
					  [LOSE_MIDDLES] = LEAST_TEXT,
					  [LOSE_NEARLY_ALL] = LEAST_OF_ALL };
		size_t width = columns->widths[i];

		if (!is_text(columns, i) || columns->hidden[i] || width <= leasts[narrowing] ||
		    width <= most)
			continue;
		most = width;
		widest = i;
	}
	if (widest == columns->count)
		return false;
	columns->widths[widest]--;
	return true;
}

static bool hide_spare(struct columns *columns)
{
	for (size_t i = columns->count; i-- > 0;) {
		if (!columns->spare[i] || columns->hidden[i])
			continue;
		columns->hidden[i] = true;
		return true;
	}
	return false;
}

/* Until a line fits or nothing can be done: folders go, then the middle of texts, then spare columns,
 * then nearly all of the texts. In a file or a pipe, where lines have no end, no column goes, and
 * texts stay as they are if shorter ones do not suffice. */
static void narrow(struct columns *columns, size_t indent)
{
	size_t wanted[COLUMNS_MAX];

	memcpy(wanted, columns->widths, sizeof(wanted));
	while (columns->most && line_width(columns, indent) > columns->most) {
		if (narrow_text(columns, LOSE_FOLDERS) || narrow_text(columns, LOSE_MIDDLES))
			continue;
		if (!columns->screen || hide_spare(columns))
			memcpy(columns->widths, wanted, sizeof(wanted));
		else if (!narrow_text(columns, LOSE_NEARLY_ALL))
			return;
		if (!columns->screen)
			return;
	}
}

/* Says which columns narrow left out. */
static void print_hidden(const struct columns *columns, size_t indent, FILE *out)
{
	const struct screen screen = { .columns = columns->screen };
	struct buf text = { 0 };

	for (size_t i = 0; i < columns->count; i++) {
		if (!columns->hidden[i] || !*columns->columns[i].title) /* bars have none */
			continue;
		if (text.size)
			buf_add_str(&text, ", ");
		else
			buf_printf(&text, "%*sWithout room on this screen (--wide): ", (int)indent,
				   "");
		buf_add_str(&text, columns->columns[i].title);
	}
	if (text.size)
		paragraph_text(buf_text(&text), &screen, out);
	buf_done(&text);
}

/* ---- lines ---- */

static const struct cell *cell_at(const struct columns *columns, size_t row, size_t column)
{
	return &columns->cells.items[row * columns->count + column];
}

/* Appends a bar; returns its width. */
static size_t add_bar(const struct columns *columns, float share, size_t room, struct buf *line)
{
	static const char *const parts[BAR_STEPS] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	size_t steps = (size_t)((float)(room * BAR_STEPS) * share + 0.5F);
	size_t whole = steps / BAR_STEPS, rest = steps % BAR_STEPS;

	if (!columns->utf8) {
		whole += rest >= BAR_STEPS / 2;
		rest = 0;
	}
	for (size_t i = 0; i < whole; i++)
		buf_add_str(line, columns->utf8 ? "█" : "#");
	buf_add_str(line, parts[rest]);
	return whole + (rest > 0);
}

/* The room of a cell in a row whose texts are shortened to @limit, or else to their column. */
static size_t cell_room(const struct columns *columns, size_t column, size_t limit)
{
	size_t width = columns->widths[column];

	if (columns->screen)
		return width;
	if (!is_text(columns, column))
		return SIZE_MAX;
	return limit < width ? width : limit;
}

/* The width to which texts of a row are shortened in a file or a pipe. */
static size_t text_limit(const struct columns *columns, size_t row, size_t indent)
{
	size_t limit = columns->most, width = SIZE_MAX;

	if (columns->screen || !columns->most)
		return SIZE_MAX;
	for (; limit > LEAST_TEXT && width > columns->most; limit--) {
		width = indent;
		for (size_t i = 0; i < columns->count; i++) {
			size_t wanted = cell_at(columns, row, i)->width;

			if (is_text(columns, i) && wanted > limit)
				wanted = limit;
			if (wanted < columns->widths[i])
				wanted = columns->widths[i];
			width += wanted + (i ? GAP : 0);
		}
	}
	return width > columns->most ? limit : limit + 1;
}

/* Appends what the cell shows, as far as it has room; returns its width. */
static size_t add_content(const struct columns *columns, size_t column, const struct cell *cell,
			  const char *text, size_t limit, struct buf *line)
{
	size_t room = columns->widths[column], width = cell->width, start;

	buf_add_str(line, tint_begin(columns->colour, cell->tint));
	start = line->size;
	if (cell->bar >= 0) {
		width = add_bar(columns, cell->bar, room, line);
	} else if (width > cell_room(columns, column, limit)) {
		safe_text_middle(line, text, cell_room(columns, column, limit));
		width = safe_width(line->bytes + start);
	} else {
		buf_add_str(line, text);
	}
	buf_add_str(line, tint_end(columns->colour, cell->tint));
	return width;
}

/* @over: by how much the line is already too long. Padding of this cell makes up for it if it can.
 * Returns what is left, plus what this cell adds. */
static size_t print_cell(const struct columns *columns, size_t column, const struct cell *cell,
			 const char *text, size_t limit, size_t over, struct buf *line)
{
	size_t room = columns->widths[column], width = cell->width, blanks, taken;
	bool right = columns->columns[column].right, last = column + 1 == columns->count;

	if (!right)
		width = add_content(columns, column, cell, text, limit, line);
	blanks = blanks_of(columns, column, width);
	taken = over < blanks ? over : blanks;
	if (right || !last)
		pad(line, blanks - taken);
	if (right)
		add_content(columns, column, cell, text, limit, line);
	return over - taken + (width > room ? width - room : 0);
}

static void print_rule(const struct columns *columns, size_t indent, struct buf *line)
{
	size_t width = line_width(columns, 0);

	pad(line, indent);
	for (size_t i = 0; i < width; i++)
		buf_add_char(line, '-');
	buf_add_char(line, '\n');
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
	size_t over = 0, start = indent, limit = text_limit(columns, row, indent);

	pad(line, indent);
	for (size_t i = 0; i < columns->count; i++) {
		const struct cell *cell = cell_at(columns, row, i);

		if (columns->hidden[i])
			continue;
		if (over && moves_numbers(columns, row, i, over)) {
			buf_add_char(line, '\n');
			pad(line, start);
			over = 0;
		} else if (i) {
			pad(line, GAP);
		}
		over = print_cell(columns, i, cell, columns->texts.bytes + cell->text, limit, over,
				  line);
		start += columns->widths[i] + GAP;
	}
	buf_add_char(line, '\n');
}

/* Prints the lines below a row from @line on; returns the first one below another row. */
static size_t print_lines(const struct columns *columns, size_t line, size_t row, size_t indent,
			  struct buf *text)
{
	size_t room = columns->most > indent ? columns->most - indent : SIZE_MAX;

	for (; line < columns->lines.count && columns->lines.items[line].row == row; line++) {
		pad(text, indent);
		safe_text_middle(text, columns->texts.bytes + columns->lines.items[line].text,
				 room);
		buf_add_char(text, '\n');
	}
	return line;
}

static void print_titles(const struct columns *columns, size_t indent, struct buf *line)
{
	pad(line, indent);
	for (size_t i = 0; i < columns->count; i++) {
		const char *title = columns->columns[i].title;
		const struct cell cell = { 0, safe_width(title), NO_BAR, TINT_TITLE };

		if (columns->hidden[i])
			continue;
		pad(line, i ? GAP : 0);
		print_cell(columns, i, &cell, title, SIZE_MAX, 0, line);
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

void columns_print(struct columns *columns, size_t indent, FILE *out)
{
	size_t rows = columns->cells.count / columns->count;
	size_t rule = 0, line = 0;
	struct buf text = { 0 };

	narrow(columns, indent);
	print_hidden(columns, indent, out);
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
	narrow(columns, indent);
	print_titles(columns, indent, &columns->row);
	flush(&columns->row, out);
}

static size_t next_column(const struct columns *columns)
{
	return columns->way == WAY_KEEP ? columns->cells.count % columns->count : columns->next;
}

/* The most that a cell can widen the column to; 0: no limit. */
static size_t cap_of(const struct columns *columns, size_t column)
{
	size_t cap = columns->columns[column].cap;

	if (!is_text(columns, column))
		return cap;
	if (columns->screen)
		return columns->screen;
	return cap || !columns->most ? cap : FILE_TEXT;
}

static bool is_full(const struct columns *columns, size_t column)
{
	size_t cap = cap_of(columns, column);

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
	columns->tint = TINT_NONE;
	pass_cell(columns);
	return true;
}

/* Ends a cell, and gives its column the room it needs. */
static void end_cell(struct columns *columns, const struct cell *cell)
{
	size_t column = next_column(columns);
	size_t cap = cap_of(columns, column);
	size_t width = cap && cell->width > cap ? cap : cell->width;

	*vec_push(&columns->cells) = *cell;
	columns->tint = TINT_NONE;
	if (columns->way != WAY_PRINT && width > columns->widths[column])
		columns->widths[column] = width;
	if (columns->way != WAY_KEEP)
		pass_cell(columns);
}

static void widen_short(struct columns *columns, const char *text)
{
	size_t column = next_column(columns);
	size_t width = safe_width(safe_file_name(text));

	if (width > columns->short_widths[column])
		columns->short_widths[column] = width;
}

/* Makes a cell of the text from @start on. */
static void end_text(struct columns *columns, size_t start)
{
	const char *text;

	buf_add_char(&columns->texts, '\0');
	text = columns->texts.bytes + start;
	if (columns->most)
		widen_short(columns, text);
	end_cell(columns, &(struct cell){ start, safe_width(text), NO_BAR, columns->tint });
}

void columns_tint(struct columns *columns, enum tint tint)
{
	columns->tint = tint;
}

void columns_bar(struct columns *columns, double share)
{
	double most = share > 1 ? 1 : share;

	end_cell(columns, &(struct cell){ 0, BAR, most > 0 ? (float)most : 0, columns->tint });
}

void columns_add(struct columns *columns, const char *text)
{
	size_t start = columns->texts.size;

	safe_text(&columns->texts, text);
	end_text(columns, start);
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
	end_text(columns, start);
}

void columns_decimal(struct columns *columns, uint64_t number)
{
	size_t start = columns->texts.size;

	buf_add_decimal(&columns->texts, number);
	end_text(columns, start);
}

void columns_interval(struct columns *columns, struct interval interval)
{
	size_t start = columns->texts.size;

	buf_add_fixed(&columns->texts, 100 * interval.low, 2);
	buf_add_char(&columns->texts, '-');
	buf_add_fixed(&columns->texts, 100 * interval.high, 2);
	end_text(columns, start);
}

void columns_weight(struct columns *columns, uint64_t weight, bool is_time)
{
	size_t start = columns->texts.size;

	figures_weight(&columns->texts, weight, is_time);
	end_text(columns, start);
}

struct buf *columns_cell(struct columns *columns)
{
	buf_clear(&columns->cell);
	return &columns->cell;
}

void columns_end_cell(struct columns *columns)
{
	columns_add(columns, columns->cell.size ? buf_text(&columns->cell) : "-");
}
