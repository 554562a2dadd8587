/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Aligned columns of text. A column is as wide as its widest cell, but a name longer than the
 * column's cap is printed in full and pushes the rest of its own line to the right, so that one
 * long name does not tear all lines apart. Where that would move numbers out of their columns, the
 * rest of the row goes on in the next line, in its own columns.
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
	bool right; /* flush right: numbers */
	size_t cap; /* widest the column gets; 0: no cap */
};

struct columns;

/* @columns is copied, its titles are borrowed; 0 < @count <= COLUMNS_MAX. */
struct columns *columns_new(const struct column *columns, size_t count);
void columns_free(struct columns *columns);
DEFINE_CLEANUP(struct columns *, columns_free);

/* The next cell, from left to right and top to bottom. The text is copied and made safe. */
void columns_add(struct columns *columns, const char *text);
void columns_printf(struct columns *columns, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* As "%.*f"; see buf_add_fixed. */
void columns_fixed(struct columns *columns, double number, unsigned decimals);
void columns_decimal(struct columns *columns, uint64_t number);
/* A line of dashes between this row and the next. */
void columns_rule(struct columns *columns);

/* A line of its own below this row, indented as the rows are; it makes no column wider. The text is
 * copied as it is: the caller has made it safe. */
void columns_line(struct columns *columns, const char *text);

/* No dashes below the titles: they cost a line. */
void columns_save_line(struct columns *columns);

/* Titles, dashes, rows; @indent blanks in front of each line. */
void columns_print(const struct columns *columns, size_t indent, FILE *out);

/*
 * For tables of any length, which are not held in memory: all rows are told twice. Behind
 * columns_measure they only make columns wider; columns_begin prints titles, and behind it each row
 * is printed when it is whole. There are neither rules nor lines below rows then.
 */
void columns_measure(struct columns *columns);
void columns_begin(struct columns *columns, size_t indent, FILE *out);
/* While rows are measured: would no text make the column of the next cell any wider? True: the cell
 * is told already, and needs none. */
bool columns_skip(struct columns *columns);

#endif
