/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one way to read untrusted bytes: a cursor with an end. Reading past the end returns zeros and
 * sets `bad`, which stays set, so a parser may read a whole structure and check once.
 */
#ifndef BASE_READER_H
#define BASE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reader {
	const uint8_t *at;
	const uint8_t *end;
	bool bad;  /* a read went past the end */
	bool swap; /* the bytes have the other byte order */
};

/* The bytes are borrowed for the reader's life; NULL with a size of 0 is an empty reader. */
static inline struct reader reader_make(const void *bytes, size_t size)
{
	const uint8_t *at = bytes ? bytes : (const void *)"";

	return (struct reader){ .at = at, .end = at + size };
}

static inline size_t reader_left(const struct reader *reader)
{
	return (size_t)(reader->end - reader->at);
}

/* @size bytes in place, borrowed; NULL (and bad) if there are fewer. Zero bytes always succeed,
 * unless the reader is bad. */
static inline const void *reader_bytes(struct reader *reader, size_t size)
{
	const void *bytes = reader->at;

	if (size == 0 && !reader->bad)
		return bytes ? bytes : ""; /* an all-zero reader has no address to return */
	if (reader->bad || size > reader_left(reader)) {
		reader->bad = true;
		reader->at = reader->end;
		return NULL;
	}
	reader->at += size;
	return bytes;
}

static inline uint8_t reader_u8(struct reader *reader)
{
	const uint8_t *byte = (const uint8_t *)reader_bytes(reader, 1);

	return byte ? *byte : 0;
}

uint16_t reader_u16(struct reader *reader);
uint32_t reader_u32(struct reader *reader);
uint64_t reader_u64(struct reader *reader);
/* LEB128; more than 64 bits is bad. */
uint64_t reader_long_uleb(struct reader *reader);
static inline uint64_t reader_uleb(struct reader *reader)
{
	if (!reader->bad && reader->at < reader->end && *reader->at < 0x80)
		return *reader->at++;
	return reader_long_uleb(reader);
}
int64_t reader_sleb(struct reader *reader);
/* The inverse of buf_add_zigzag. */
int64_t reader_zigzag(struct reader *reader);
/* A NUL-terminated string in place, borrowed; "" (and bad) if no NUL follows. */
const char *reader_cstr(struct reader *reader);
/* A reader of the next @size bytes, which this reader skips. */
struct reader reader_sub(struct reader *reader, size_t size);

#endif
