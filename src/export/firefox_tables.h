/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of one thread in a profile of the Firefox Profiler: stacks, frames, functions,
 * resources (files with code) and strings, each with what the thread has used so far. Rows have the
 * order in which they were first asked for.
 */
#ifndef EXPORT_FIREFOX_TABLES_H
#define EXPORT_FIREFOX_TABLES_H

#include <stdint.h>
#include <stdio.h>

#include "export/formats.h"

/* Colours of code: their names, and the numbers that rows have. */
enum firefox_category {
	FIREFOX_OTHER,
	FIREFOX_USER,
	FIREFOX_KERNEL,
	FIREFOX_MADE,
	FIREFOX_CATEGORY_COUNT,
};

struct firefox_tables;

/* Empty tables. @data is borrowed, and @libraries: by image its row among those of the profile, and
 * one; 0: none. */
struct firefox_tables *firefox_tables_new(const struct export_data *data,
					  const uint32_t *libraries);
void firefox_tables_free(struct firefox_tables *tables); /* NULL is fine */

/* The row of a text, which may be new. */
uint32_t firefox_tables_string(struct firefox_tables *tables, const char *text);
/* The row of a stack, and one; 0 for the empty stack. */
uint32_t firefox_tables_stack(struct firefox_tables *tables, uint32_t stack);

/* The members frameTable to stackTable of the thread's object, each with a comma behind it; and
 * "stringArray". Write errors are left in @out for ferror(). */
void firefox_tables_print(const struct firefox_tables *tables, FILE *out);
void firefox_tables_print_strings(const struct firefox_tables *tables, FILE *out);

/* Empties them, for the next thread. */
void firefox_tables_clear(struct firefox_tables *tables);

#endif
