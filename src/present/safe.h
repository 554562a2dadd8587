/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names come from files and processes that anyone may have made. Whatever could command a terminal
 * or break a line or a format is printed as \xNN, byte by byte.
 */
#ifndef PRESENT_SAFE_H
#define PRESENT_SAFE_H

#include <stddef.h>

#include "base/buf.h"

/* For terminals. Escapes control characters (C0, DEL, C1), characters that change the direction of
 * writing, line and paragraph separators, and bytes that are not UTF-8. */
void safe_text(struct buf *buf, const char *text);
/* For a JSON library that escapes ASCII control characters itself: escapes the rest of what
 * safe_text escapes. */
void safe_utf8(struct buf *buf, const char *text);
/* For CSV: as for terminals, where many tables end up; quoted as RFC 4180 demands. */
void safe_csv(struct buf *buf, const char *text);
/* A JSON string with its quotes. Characters that command a terminal become \uNNNN; bytes that are
 * not UTF-8 become the text \xNN. */
void safe_json(struct buf *buf, const char *text);

/* As safe_text, but at most @width characters (at least 3); a truncated text ends in "...". */
void safe_text_cut(struct buf *buf, const char *text, size_t width);

/* Width on the screen of a text from safe_text, one column per character. */
size_t safe_width(const char *text);

#endif
