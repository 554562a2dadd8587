/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UTF-8 (RFC 3629), as far as writing names needs it. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the character at @text, a NUL-terminated string, and its code point. 0 if the first
 * byte begins no valid character. Reads nothing after the NUL. */
size_t utf8_decode(const char *text, uint32_t *ret_point);
/* True for a continuation byte. */
static inline bool utf8_continues(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}
/* True for a control character (C0, DEL). */
bool utf8_is_control(uint32_t point);
/* True if the character can control a terminal, or make text look different from what it is:
 * control characters (C0, DEL, C1), characters that change the writing direction or have no width,
 * and line separators. */
bool utf8_commands_terminal(uint32_t point);

#endif
