/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names come from files and processes that anyone may have made. Whatever could command a terminal
 * or break a line or a format is printed as \xNN, byte by byte; base/json_add.h does it for JSON.
 */
#ifndef PRESENT_SAFE_H
#define PRESENT_SAFE_H

#include <stddef.h>

#include "base/buf.h"

/* For terminals. Escapes control characters (C0, DEL, C1), characters that change the direction of
 * writing, line and paragraph separators, and bytes that are not UTF-8. */
void safe_text(struct buf *buf, const char *text);
/* For CSV: as for terminals, where many tables end up; quoted as RFC 4180 demands. */
void safe_csv(struct buf *buf, const char *text);
/* As safe_text, but at most @width columns (at least 3); a truncated text ends in "...". */
void safe_text_cut(struct buf *buf, const char *text, size_t width);
/* The same with "..." where a name says least: in the parentheses of its arguments, in those of
 * template arguments, in its middle. The last part of a name stays if it can: the file of a path, which
 * may stand alone, the function of a class. */
void safe_text_middle(struct buf *buf, const char *text, size_t width);

/* The file that a path names; any other text as it is. */
const char *safe_file_name(const char *text);

/* Columns that a terminal needs for a text from safe_text: accents have none of their own, Chinese
 * characters take two. */
size_t safe_width(const char *text);

#endif
