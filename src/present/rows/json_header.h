/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a reader must know to trust numbers, as the JSON object that stands before them. */
#ifndef PRESENT_ROWS_JSON_HEADER_H
#define PRESENT_ROWS_JSON_HEADER_H

#include <stdio.h>

#include "present/view.h"

/* The version of the form; changed when a field goes or changes its meaning. */
enum { JSON_VERSION = 1 };

/* Prints the object, without a newline behind it; prospect-report(1) documents every field. Of
 * @view only labels, account, naming, completeness, selection and instructions are looked at. What
 * is not known is null, never 0. Write errors are left in @out for ferror(). */
void json_header_print(const struct view *view, FILE *out);

#endif
