/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The values of several keys for each frame, under one number: frames that are equal in all keys
 * have the same number. A frame is evaluated when it is first asked for, because some keys open
 * files.
 */
#ifndef AGGREGATE_FRAME_VALUES_H
#define AGGREGATE_FRAME_VALUES_H

#include "aggregate/keys.h"
#include "base/hashidx.h"
#include "base/vec.h"

/* Zero-initialised has no keys and must not be asked for numbers. */
struct frame_values {
	const struct labels *labels; /* borrowed */
	struct key_list keys;
	uint32_t *of_frame;   /* number + 1, by frame of the profile; 0: not yet evaluated */
	uint32_t count;	      /* of numbers */
	VEC(uint64_t) values; /* by number: one for each key */
	struct hashidx index;
};

/* Takes those of @keys that are about code. The profile of @labels must have all its frames. */
void frame_values_init(struct frame_values *frames, const struct labels *labels,
		       const struct key_list *keys);
void frame_values_done(struct frame_values *frames);

/* The number of a frame. Below the profile's number of frames, unless frame_values_find added
 * values that no frame has. */
uint32_t frame_values_number(struct frame_values *frames, uint32_t frame);
/* The number of these values, one for each key; adds them if needed. */
uint32_t frame_values_find(struct frame_values *frames, const uint64_t *values);
/* The values of a number, one for each key. Borrowed until the next are added. */
const uint64_t *frame_values_at(const struct frame_values *frames, uint32_t number);

#endif
