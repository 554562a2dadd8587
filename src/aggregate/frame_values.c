/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/frame_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

void frame_values_init(struct frame_values *frames, const struct labels *labels,
		       const struct key_list *keys)
{
	*frames = (struct frame_values){ .labels = labels };
	for (size_t i = 0; i < keys->count; i++) {
		if (keys->items[i]->of_frame)
			frames->keys.items[frames->keys.count++] = keys->items[i];
	}
	if (frames->keys.count)
		frames->of_frame =
			xcalloc(labels->profile->frames.count, sizeof(*frames->of_frame));
}

void frame_values_done(struct frame_values *frames)
{
	free(frames->of_frame);
	vec_free(&frames->values);
	hashidx_done(&frames->index);
	*frames = (struct frame_values){ 0 };
}

const uint64_t *frame_values_at(const struct frame_values *frames, uint32_t number)
{
	return &frames->values.items[number * frames->keys.count];
}

static bool values_equal(const void *owner, uint32_t id, const void *key)
{
	const struct frame_values *frames = owner;

	return memcmp(frame_values_at(frames, id), key, frames->keys.count * sizeof(uint64_t)) == 0;
}

uint32_t frame_values_find(struct frame_values *frames, const uint64_t *values)
{
	uint32_t number;
	uint64_t hash = 0;

	for (size_t i = 0; i < frames->keys.count; i++)
		hash = hash_combine(hash, values[i]);
	if (hashidx_find(&frames->index, hash, values_equal, frames, values, &number))
		return number;
	number = frames->count++;
	hashidx_add(&frames->index, hash, number);
	for (size_t i = 0; i < frames->keys.count; i++)
		*vec_push(&frames->values) = values[i];
	return number;
}

uint32_t frame_values_number(struct frame_values *frames, uint32_t frame)
{
	uint64_t values[KEYS_MAX];

	if (!frames->of_frame[frame]) {
		for (size_t i = 0; i < frames->keys.count; i++)
			values[i] = frames->keys.items[i]->of_frame(frames->labels, frame);
		frames->of_frame[frame] = frame_values_find(frames, values) + 1;
	}
	return frames->of_frame[frame] - 1;
}
