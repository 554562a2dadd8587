/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UTF-8 (RFC 3629) as far as a writer of names needs it. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the character at @text, which ends with a NUL, and its code point; 0 when there is
 * none: the first byte belongs to no character. Nothing behind the NUL is read. */
size_t utf8_decode(const char *text, uint32_t *ret_point);
/* Is the byte one that only continues a character? */
static inline bool utf8_continues(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}
/* Is it a control character (C0, DEL)? */
bool utf8_is_control(uint32_t point);
/* Could it command a terminal, or make what is shown differ from what is there? Control characters
 * (C0, DEL, C1), what turns the direction of writing or has no width, separators of lines. */
bool utf8_commands_terminal(uint32_t point);

#endif
