/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a reader must know to trust the numbers, as the JSON object before them. */
#ifndef PRESENT_ROWS_JSON_HEADER_H
#define PRESENT_ROWS_JSON_HEADER_H

#include <stdio.h>

#include "present/view.h"

/* The version of the format; changed when a field is removed or changes its meaning. */
enum { JSON_VERSION = 1 };

/* Prints the object, without a newline after it; prospect-report(1) documents every field. Uses
 * only labels, account, naming, completeness, selection and instructions of @view. Unknown values
 * are null, never 0. Write errors are left in @out for ferror(). */
void json_header_print(const struct view *view, FILE *out);

#endif
