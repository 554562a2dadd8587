/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Escapes names for text in which some characters have a meaning. These become \xNN, byte by byte:
 * characters that end a name or a line or control a terminal, bytes that are not UTF-8, and a
 * backslash that would look like the start of an escape. Everything else stays. Different names
 * stay different, and escape_undo reverses it.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include "base/buf.h"

/* Appends @text and also escapes the ASCII characters of @also, which must not be letters or
 * digits. */
void escape_add(struct buf *buf, const char *text, const char *also);
/* Appends the @name of a frame to a call stack written as text, where ';' separates names. ';', the
 * backslash and ASCII control characters become \xNN; all other bytes stay. Different names stay
 * different. */
void escape_add_name(struct buf *buf, const char *name);
/* Appends @text with its escapes undone. Undoes only what escape_add can have written: escapes of
 * letters, digits or NUL stay. */
void escape_undo(struct buf *buf, const char *text);

#endif
