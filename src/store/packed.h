/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A packed block: all samples that one flush had of one second, in a few bytes each. Only bytes, no
 * SQLite. prospect-profile(5) has the format.
 */
#ifndef STORE_PACKED_H
#define STORE_PACKED_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/reader.h"
#include "base/vec.h"
#include "model/profile.h"

/*
 * A series of unsigned numbers in few bytes: one column of a block. The encoder takes the smallest
 * of three forms:
 *   plain       each value as ULEB128
 *   runs        (value, length of the run) pairs, both ULEB128
 *   dictionary  the distinct values in ascending order as differences, then for each value its
 *               place among them, in as many bits as the largest place needs
 */
void packed_series_encode(const uint64_t *values, size_t count, struct buf *buf);
/* Reads @count values. Returns 0, or -EBADMSG if the bytes are not such a series; @ret_values is
 * then undefined. */
int packed_series_decode(struct reader *reader, uint64_t *ret_values, size_t count);
/* Skips a series of @count values. Returns as packed_series_decode, but does not check the
 * values. */
int packed_series_skip(struct reader *reader, size_t count);

/* Most samples of a block: writers split, readers refuse more. */
enum { PACKED_MAX_SAMPLES = 1 << 18 };

struct packed_samples {
	VEC(struct sample) rows;
};

/* The order of samples in a block and in the file: second, CPU, time. For qsort. */
int packed_compare(const void *a, const void *b);

/* Appends a block to @buf. @samples: 1 to PACKED_MAX_SAMPLES of them, in packed_compare's order,
 * all within [second, second + 1) s. */
void packed_encode(const struct sample *samples, size_t count, uint64_t second, struct buf *buf);

/* Replaces the contents of @ret_samples by the block's samples (the caller frees the rows with
 * vec_free). @fields: the wanted fields (enum sample_field); the others are 0, but event and weight
 * are always set. Without SAMPLE_TIME all samples have the time of the second's start, and the
 * bytes of the times are not checked. Returns 0, or -EBADMSG if the bytes are not a block of that
 * second: left-over bytes, times out of order or outside of the second, numbers too large for their
 * field. No reference is checked: task, stack, event, mode and context may have any value. */
int packed_decode(const void *bytes, size_t size, uint64_t second, unsigned fields,
		  struct packed_samples *ret_samples);

#endif
