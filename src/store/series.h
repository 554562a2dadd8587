/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A series of unsigned numbers in few bytes: one column of a packed block. The encoder takes the
 * smallest of three forms; prospect-profile(5) has the bytes.
 *
 *   plain       each value as ULEB128
 *   runs        (value, length of the run) pairs, both ULEB128
 *   dictionary  the distinct values in ascending order as differences, then for each value its
 *               place among them, in as many bits as the largest place needs
 */
#ifndef STORE_SERIES_H
#define STORE_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/reader.h"

/* Appends the series to @buf. The caller keeps the number of values. */
void series_encode(const uint64_t *values, size_t count, struct buf *buf);

/* Reads @count values. Returns 0, or -EBADMSG if the bytes are not such a series; @ret_values is
 * then undefined. */
int series_decode(struct reader *reader, uint64_t *ret_values, size_t count);

/* Skips a series of @count values. Returns as series_decode, but does not check the values. */
int series_skip(struct reader *reader, size_t count);

#endif
