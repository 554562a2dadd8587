/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data of a flame graph's page: JSON in which nothing can end its HTML element. The tree is
 * stored as columns of LEB128 numbers in base64, a few bytes for each node.
 */
#ifndef PRESENT_HTML_FLAME_DATA_H
#define PRESENT_HTML_FLAME_DATA_H

#include <stdio.h>

#include "aggregate/account/account.h"
#include "base/buf.h"

/* Appends a JSON string, made safe for terminals too. */
void flame_data_string(struct buf *json, const char *text);
/* Appends a comma unless @json is empty. */
void flame_data_separate(struct buf *json);
/* "\"name\":\"base64\"". */
void flame_data_column(struct buf *json, const char *name, const struct buf *column);
/* Appends members that explain why stacks are cut: "[cut:...]":"...". */
void flame_data_cuts(struct buf *json);
/* Appends what determines a function's colour: {"path":...,"kind":...}. */
void flame_data_image(struct buf *json, const char *path, enum image_kind kind);

/* Prints @page with the JSON in place of its mark @DATA@. Write errors are left in @out for
 * ferror(). */
void flame_data_print_page(const char *page, const struct buf *json, FILE *out);

#endif
