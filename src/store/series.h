/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A series of unsigned numbers in few bytes: one column of a packed block. Three forms, of which
 * the encoder takes the smallest; prospect-profile(5) has the bytes.
 *
 *   plain       each value as ULEB128
 *   runs        (value, how often in a row) pairs, both ULEB128
 *   dictionary  the distinct values in ascending order as differences, then for each value its
 *               place among them in as many bits as the largest place needs
 */
#ifndef STORE_SERIES_H
#define STORE_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/reader.h"

/* Appends the series to @buf. How many values it has is the caller's to remember. */
void series_encode(const uint64_t *values, size_t count, struct buf *buf);

/* Reads @count values. Returns 0, or -EBADMSG when the bytes are no such series; what @ret_values
 * holds then is undefined. */
int series_decode(struct reader *reader, uint64_t *ret_values, size_t count);

/* Reads past a series of @count values. Returns as series_decode; what can be told only from the
 * values is not checked. */
int series_skip(struct reader *reader, size_t count);

#endif
