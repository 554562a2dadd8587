/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names come from files and processes anybody may have made. Whatever could command a terminal or
 * break a line or a format is printed as \xNN, byte by byte.
 */
#ifndef PRESENT_SAFE_H
#define PRESENT_SAFE_H

#include <stddef.h>

#include "base/buf.h"

/* For terminals: control characters (C0, DEL, C1), what turns the direction of writing, line and
 * paragraph separators, and bytes that are not UTF-8. */
void safe_text(struct buf *buf, const char *text);
/* For a writer of JSON that escapes control characters of ASCII itself: bytes that are not UTF-8,
 * and what else safe_text does not let through. */
void safe_utf8(struct buf *buf, const char *text);
/* For CSV: as for terminals, which many a table ends on; quoted where RFC 4180 wants it. */
void safe_csv(struct buf *buf, const char *text);
/* A JSON string with its quotes: nothing that commands a terminal, but for \uNNNN. */
void safe_json(struct buf *buf, const char *text);

/* As safe_text, but at most @width characters (at least 3): what is cut off shows as "...". */
void safe_text_cut(struct buf *buf, const char *text, size_t width);

/* How many characters a text of safe_text takes on the screen, one each. */
size_t safe_width(const char *text);

#endif
