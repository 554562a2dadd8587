/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names as text that has characters of its own: what would end a name or a line, command a
 * terminal or is no UTF-8 is written \xNN, byte by byte, and so is a backslash that would be taken
 * for the beginning of that. Everything else stays as it is. Different names stay different, and
 * escape_undo gives them back.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include "base/buf.h"

/* Appends @text; the ASCII characters of @also are escaped too. These must be none of letters and
 * digits. */
void escape_add(struct buf *buf, const char *text, const char *also);
/* Appends the @name of a frame in a text of a stack, where ';' stands between names: ';', the
 * backslash and ASCII control characters become \xNN, all other bytes stay. Two names are never
 * written alike. */
void escape_add_name(struct buf *buf, const char *name);
/* Appends the text that was escaped. Only what escape_add can have written is changed: sequences
 * that stand for letters, digits or NUL are left. */
void escape_undo(struct buf *buf, const char *text);

#endif
