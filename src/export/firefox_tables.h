/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of one thread in a Firefox Profiler file: stacks, frames, functions, resources (files
 * with code) and strings. They have only what the thread has used so far, in order of first use.
 */
#ifndef EXPORT_FIREFOX_TABLES_H
#define EXPORT_FIREFOX_TABLES_H

#include <stdint.h>
#include <stdio.h>

#include "export/formats.h"

/* Colours of code: names, and the numbers in rows. */
enum firefox_category {
	FIREFOX_OTHER,
	FIREFOX_USER,
	FIREFOX_KERNEL,
	FIREFOX_MADE,
	FIREFOX_CATEGORY_COUNT,
};

struct firefox_tables;

/* Makes empty tables. Borrows @data and @libraries, which has for each image the row of its library
 * in the file, plus 1; 0: none. */
struct firefox_tables *firefox_tables_new(const struct export_data *data,
					  const uint32_t *libraries);
void firefox_tables_free(struct firefox_tables *tables); /* NULL is fine */

/* The row of a text, added if it is new. */
uint32_t firefox_tables_string(struct firefox_tables *tables, const char *text);
/* The row of a stack, plus 1; 0 for the empty stack. */
uint32_t firefox_tables_stack(struct firefox_tables *tables, uint32_t stack);

/* Prints the members frameTable to stackTable of the thread's object, each followed by a comma; and
 * "stringArray". Write errors stay in @out for ferror(). */
void firefox_tables_print(const struct firefox_tables *tables, FILE *out);
void firefox_tables_print_strings(const struct firefox_tables *tables, FILE *out);

/* Empties the tables for the next thread. */
void firefox_tables_clear(struct firefox_tables *tables);

#endif
