/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts as people read and write them: words, UTF-8, escapes. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Edit distance for "did you mean": letters inserted, omitted or replaced, or two neighbours
 * swapped (Damerau-Levenshtein, optimal string alignment). A distance above @limit is returned as
 * @limit + 1. Words longer than 63 letters match only themselves. */
unsigned text_distance(const char *a, const char *b, unsigned limit);
/* How many letters of a word of @length may be wrong for that: a third, at least two, but never half
 * of a short one. */
unsigned text_most_wrong(size_t length);

/* UTF-8 (RFC 3629), as far as writing names needs it. The length of the character at @text, a
 * NUL-terminated string, and its code point. 0 if the first byte begins no valid character. Reads
 * nothing after the NUL. */
size_t text_decode(const char *text, uint32_t *ret_point);
/* True for a continuation byte. */
static inline bool text_continues(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}
/* True for a control character (C0, DEL). */
bool text_is_control(uint32_t point);
/* True if the character can control a terminal, or make text look different from what it is:
 * control characters (C0, DEL, C1), characters that change the writing direction or have no width,
 * and line separators. */
bool text_commands_terminal(uint32_t point);

/*
 * Escapes names for text in which some characters have a meaning. These become \xNN, byte by byte:
 * characters that end a name or a line or control a terminal, bytes that are not UTF-8, and a
 * backslash that would look like the start of an escape. Everything else stays. Different names
 * stay different, and text_unescape reverses it. Appends @text, and also escapes the ASCII
 * characters of @also, which must not be letters or digits.
 */
void text_escape(struct buf *buf, const char *text, const char *also);
/* Appends each byte as \xNN. */
void text_escape_bytes(struct buf *buf, const char *bytes, size_t size);
/* Appends the @name of a frame to a call stack written as text, where ';' separates names. ';', the
 * backslash and ASCII control characters become \xNN; all other bytes stay. Different names stay
 * different. */
void text_escape_name(struct buf *buf, const char *name);
/* Appends @text with its escapes undone. Undoes only what text_escape can have written: escapes of
 * letters, digits or NUL stay. */
void text_unescape(struct buf *buf, const char *text);
/* Appends @text as one word for a shell: in quotes if it needs them. */
void text_add_word(struct buf *buf, const char *text);
/* True if a shell takes the words of @text as text_add_word() wrote them: whatever is not in quotes is
 * plain, and nothing commands the terminal. */
bool text_is_words(const char *text);
/* Appends bytes as lower-case hexadecimal digits, two each, as build ids are written. */
void text_add_hex(struct buf *buf, const uint8_t *bytes, size_t size);

#endif
