/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A packed block: all samples of one second that one flush had, a few bytes each. Pure bytes, no
 * SQLite. prospect-profile(5) has the format.
 */
#ifndef STORE_PACKED_H
#define STORE_PACKED_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "model/sample.h"

/* More samples than this are never in one block: writers split, readers refuse. */
enum { PACKED_MAX_SAMPLES = 1 << 18 };

struct packed_samples {
	VEC(struct sample) rows;
};

/* The order samples have in a block, and in the file: second, processor, time. For qsort. */
int packed_compare(const void *a, const void *b);

/* Appends a block to @buf. The samples are in packed_compare's order, all within the second
 * [second, second + 1) s, 1 to PACKED_MAX_SAMPLES of them. */
void packed_encode(const struct sample *samples, size_t count, uint64_t second, struct buf *buf);

/* Replaces what @ret_samples holds (the caller frees the rows with vec_free) by the block's
 * samples. @fields: which are wanted (enum sample_field), the others are 0; event and weight are
 * always there. Without SAMPLE_TIME the samples have the time of the second's start, and that
 * their times are in order is not looked at. Returns 0, or -EBADMSG when the bytes are no block of
 * that second: left-over bytes, times out of order or outside of the second, numbers too large for
 * their field. task, stack, event, mode and context are not compared with anything. */
int packed_decode(const void *bytes, size_t size, uint64_t second, unsigned fields,
		  struct packed_samples *ret_samples);

#endif
