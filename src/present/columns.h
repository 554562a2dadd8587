/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Aligned columns of text. A column is as wide as its widest cell. A text longer than the column's
 * cap is printed in full and pushes the rest of its own line to the right, so one long name does
 * not widen all lines. If that would move numbers out of their columns, the rest of the row
 * continues on the next line, in its own columns.
 */
#ifndef PRESENT_COLUMNS_H
#define PRESENT_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/cleanup.h"

enum { COLUMNS_MAX = 48 };

struct column {
	const char *title;
	bool right; /* aligned right, for numbers */
	size_t cap; /* maximum width of the column; 0: no cap */
};

struct columns;

/* @columns is copied, its titles are borrowed; 0 < @count <= COLUMNS_MAX. */
struct columns *columns_new(const struct column *columns, size_t count);
void columns_free(struct columns *columns);
DEFINE_CLEANUP(struct columns *, columns_free);

/* Adds the next cell, from left to right and top to bottom. The text is copied and made safe. */
void columns_add(struct columns *columns, const char *text);
void columns_printf(struct columns *columns, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* As "%.*f"; see buf_add_fixed. */
void columns_fixed(struct columns *columns, double number, unsigned decimals);
void columns_decimal(struct columns *columns, uint64_t number);
/* Puts a line of dashes between this row and the next. */
void columns_rule(struct columns *columns);

/* Adds a separate line below this row, indented like the rows; it widens no column. The text is
 * copied as it is: the caller has made it safe. */
void columns_line(struct columns *columns, const char *text);

/* Omits the dashes below the titles, to save a line. */
void columns_save_line(struct columns *columns);

/* Prints titles, dashes and rows, with @indent blanks before each line. */
void columns_print(const struct columns *columns, size_t indent, FILE *out);

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
