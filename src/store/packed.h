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
#include "base/vec.h"
#include "model/sample.h"

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
