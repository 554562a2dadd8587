/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes JSON: each function appends to a buffer. @name: of a member; NULL: an element of an array,
 * or the whole. A comma is added where one is needed, which the byte before says.
 */
#ifndef BASE_JSON_ADD_H
#define BASE_JSON_ADD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

/* @bracket: the opening one of an object or an array. */
void json_add_begin(struct buf *buf, const char *name, char bracket);
void json_add_end(struct buf *buf, char bracket);

/* Characters that command a terminal become \uNNNN; bytes that are not UTF-8 become the text
 * \xNN. */
void json_add_text(struct buf *buf, const char *name, const char *text);
/* NULL and "" are null. */
void json_add_text_or_null(struct buf *buf, const char *name, const char *text);
void json_add_number(struct buf *buf, const char *name, uint64_t number);
/* 0 is null. */
void json_add_number_or_null(struct buf *buf, const char *name, uint64_t number);
/* @digits that count; a whole number ends in .0. What is not finite is null, here and below. */
void json_add_real(struct buf *buf, const char *name, double value, int digits);
void json_add_fixed(struct buf *buf, const char *name, double value, int decimals);
void json_add_bool(struct buf *buf, const char *name, bool value);
void json_add_null(struct buf *buf, const char *name);

/* What precedes a value that the caller writes itself: a comma and the name. */
void json_add_name(struct buf *buf, const char *name);
/* The next member or element begins in a new line. */
void json_add_line(struct buf *buf);
/* A string with its quotes and nothing before it. */
void json_add_string(struct buf *buf, const char *text);

/* Appends the JSON of @compact with blanks after commas and colons, or if @indent is not 0, each
 * member and element in a line of its own, indented by so many blanks for each level. */
void json_add_spread(struct buf *buf, const struct buf *compact, unsigned indent);
/* Prints @compact spread like that, as a whole line or lines, and frees it. */
void json_add_print(struct buf *compact, unsigned indent, FILE *out);

#endif
