/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growable byte buffer for text and packed records. Zero-initialised is empty. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

struct buf {
	char *bytes; /* owned; always followed by a NUL once anything was added */
	size_t size;
	size_t capacity;
};

void buf_add(struct buf *buf, const void *bytes, size_t size);
void buf_add_str(struct buf *buf, const char *text);
void buf_add_char(struct buf *buf, char character);
/* Appends in decimal, like "%" PRIu64 of buf_printf but several times faster. */
void buf_add_decimal(struct buf *buf, uint64_t number);
/* Appends like "%.*f" of buf_printf, likewise faster. @decimals: 0 to BUF_MAX_DECIMALS. */
enum { BUF_MAX_DECIMALS = 4 };
void buf_add_fixed(struct buf *buf, double number, unsigned decimals);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* LEB128 (DWARF 5 section 7.6): small numbers take few bytes. */
void buf_add_uleb(struct buf *buf, uint64_t value);
/* Signed values as zig-zag ULEB, for deltas. */
void buf_add_zigzag(struct buf *buf, int64_t value);
/* The text so far, "" when empty; borrowed until the next change. */
const char *buf_text(const struct buf *buf);
/* Empties the buffer and keeps its memory. */
void buf_clear(struct buf *buf);
void buf_done(struct buf *buf);

#endif
