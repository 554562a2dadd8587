/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Aligned columns of text. A column is as wide as its widest cell. A text longer than the column's
 * cap is printed in full and pushes the rest of its own line to the right, so one long name does
 * not widen all lines. If that would move numbers out of their columns, the rest of the row
 * continues on the next line, in its own columns.
 *
 * On a screen (columns_for) no line is longer than the screen instead: columns of text, which are
 * all that are not aligned right, are narrowed, and their cells shortened in the middle. In a file or a
 * pipe (columns_for) only the texts of lines beyond SCREEN_FILE_COLUMNS are shortened.
 */
#ifndef PRESENT_COLUMNS_H
#define PRESENT_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "aggregate/estimate.h"
#include "aggregate/keys.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "present/screen.h"
#include "present/tint.h"

enum { COLUMNS_MAX = 48 };

struct column {
	const char *title;
	bool right; /* aligned right, for numbers */
	size_t cap; /* maximum width of the column; 0: no cap. On a screen texts have none. */
};

struct columns;

/* Fills in a column for each key; returns their number. */
size_t columns_of_keys(const struct key_list *keys, struct column *ret_columns);

/* @columns is copied, its titles are borrowed; 0 < @count <= COLUMNS_MAX. */
struct columns *columns_new(const struct column *columns, size_t count);
/* The same for a screen. */
struct columns *columns_for(const struct screen *screen, const struct column *columns,
			    size_t count);
void columns_free(struct columns *columns);
DEFINE_CLEANUP(struct columns *, columns_free);

/* Before the first cell: the column is left out of a screen that is too narrow, the last such column first; a line above
 * the titles says so. */
void columns_spare(struct columns *columns, size_t column);
/* Adds the next cell, from left to right and top to bottom. The text is copied and made safe. */
void columns_add(struct columns *columns, const char *text);
void columns_printf(struct columns *columns, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* As "%.*f"; see buf_add_fixed. */
void columns_fixed(struct columns *columns, double number, unsigned decimals);
void columns_decimal(struct columns *columns, uint64_t number);
/* "1.50-2.25", in percent. */
void columns_interval(struct columns *columns, struct interval interval);
/* As figures_weight. */
void columns_weight(struct columns *columns, uint64_t weight, bool is_time);
/* A bar as long as the share of the column's width, 0 to 1. Its column is one of text. */
void columns_bar(struct columns *columns, double share);
/* The colour of the next cell, however it is added. */
void columns_tint(struct columns *columns, enum tint tint);
/* The text of the next cell: append to it, then add it with columns_end_cell; "-" if it is
 * empty. */
struct buf *columns_cell(struct columns *columns);
void columns_end_cell(struct columns *columns);
/* Puts a line of dashes between this row and the next. */
void columns_rule(struct columns *columns);

/* Adds a separate line below this row, indented like the rows; it widens no column. The text is
 * copied as it is: the caller has made it safe. */
void columns_line(struct columns *columns, const char *text);

/* Omits the dashes below the titles, to save a line. */
void columns_save_line(struct columns *columns);

/* Prints titles, dashes and rows, with @indent blanks before each line. */
void columns_print(struct columns *columns, size_t indent, FILE *out);

/*
 * For tables of any length, which are not held in memory: the caller adds all rows twice. After
 * columns_measure, rows only widen the columns. columns_begin prints the titles, and from then on
 * each row is printed when it is complete. Such tables have no rules and no lines below rows.
 */
void columns_measure(struct columns *columns);
void columns_begin(struct columns *columns, size_t indent, FILE *out);
/* True, while rows are measured, if no text can widen the column of the next cell. The cell then
 * counts as added; do not add it. */
bool columns_skip(struct columns *columns);

#endif
