/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the page of a flame graph is given: JSON in which nothing can end the element it is in, the
 * tree in it as columns of LEB128 numbers in base64, a few bytes for each node.
 */
#ifndef PRESENT_HTML_FLAME_DATA_H
#define PRESENT_HTML_FLAME_DATA_H

#include <stdio.h>

#include "aggregate/account/account.h"
#include "base/buf.h"

/* A JSON string of what a terminal could show, too. */
void flame_data_string(struct buf *json, const char *text);
/* A comma if something is there. */
void flame_data_separate(struct buf *json);
/* "\"name\":\"base64\"". */
void flame_data_column(struct buf *json, const char *name, const struct buf *column);
/* Members that say what marks of stacks that are not complete mean: "[cut:...]":"...". */
void flame_data_cuts(struct buf *json);
/* What a function's colour depends on: {"path":...,"kind":...}. */
void flame_data_image(struct buf *json, const char *path, enum image_kind kind);

/* @page has the mark @DATA@ where the JSON goes. Write errors are left in @out for ferror(). */
void flame_data_print_page(const char *page, const struct buf *json, FILE *out);

#endif
