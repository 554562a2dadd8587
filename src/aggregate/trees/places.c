/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/trees/tree.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashidx.h"
#include "base/xalloc.h"

static bool place_equal(const void *owner, uint32_t id, const void *key)
{
	const struct places *places = owner;
	uint32_t first = places->rows.items[id].frame, frame = *(const uint32_t *)key;

	for (size_t i = 0; i < places->keys.count; i++) {
		const struct key *by = places->keys.items[i];

		if (by->of_frame(places->labels, first) != by->of_frame(places->labels, frame))
			return false;
	}
	return true;
}

static uint32_t find_or_append(struct places *places, struct hashidx *index, uint32_t frame)
{
	const struct frame *frames = places->labels->profile->frames.items;
	uint32_t id = (uint32_t)places->rows.count;
	uint64_t hash = 0;

	for (size_t i = 0; i < places->keys.count; i++)
		hash = hash_combine(hash, places->keys.items[i]->of_frame(places->labels, frame));
	if (hashidx_find(index, hash, place_equal, places, &frame, &id)) {
		struct place *place = &places->rows.items[id];

		if (frames[place->frame].image != frames[frame].image)
			place->one_image = false;
		return id;
	}
	hashidx_add(index, hash, id);
	*vec_push(&places->rows) = (struct place){ .frame = frame, .one_image = true };
	return id;
}

struct places *places_new(const struct labels *labels, const struct key_list *keys)
{
	size_t count = labels->profile->frames.count;
	struct places *places = xcalloc(1, sizeof(*places));
	struct hashidx index = { 0 };

	places->labels = labels;
	places->keys = *keys;
	places->of_frame = xcalloc(count, sizeof(*places->of_frame));
	for (size_t i = 0; i < count; i++)
		places->of_frame[i] = find_or_append(places, &index, (uint32_t)i);
	hashidx_done(&index);
	return places;
}

void places_free(struct places *places)
{
	if (!places)
		return;
	vec_free(&places->rows);
	free(places->of_frame);
	free(places);
}

void places_text(const struct places *places, uint32_t place, struct buf *buf)
{
	uint32_t frame = places->rows.items[place].frame;

	for (size_t i = 0; i < places->keys.count; i++) {
		const struct key *by = places->keys.items[i];
		void (*text)(const struct labels *, uint64_t, struct buf *) =
			by->beside ? by->beside : by->text;

		buf_add_str(buf, i ? ", " : "");
		text(places->labels, by->of_frame(places->labels, frame), buf);
	}
}

uint32_t places_image(const struct places *places, uint32_t place)
{
	const struct place *row = &places->rows.items[place];

	return row->one_image ? places->labels->profile->frames.items[row->frame].image : 0;
}

bool places_tell_image(const struct places *places)
{
	for (size_t i = 0; i < places->keys.count; i++) {
		if (strcmp(places->keys.items[i]->name, "image") == 0)
			return true;
	}
	return false;
}

bool places_is_cut(const struct places *places, uint32_t place)
{
	const struct profile *profile = places->labels->profile;

	return profile->images.items[places_image(places, place)].kind == IMAGE_CUT;
}

static bool text_matches(const char *pattern, const char *text)
{
	return strcmp(pattern, text) == 0 || fnmatch(pattern, text, 0) == 0;
}

static bool place_matches(const struct places *places, uint32_t place, const char *pattern,
			  struct buf *text)
{
	uint32_t frame = places->rows.items[place].frame;

	for (size_t i = 0; i < places->keys.count; i++) {
		const struct key *by = places->keys.items[i];
		uint64_t value = by->of_frame(places->labels, frame);

		buf_clear(text);
		by->text(places->labels, value, text);
		if (text_matches(pattern, buf_text(text)))
			return true;
		buf_clear(text);
		if (by->place && by->place(places->labels, value, text) &&
		    text_matches(pattern, buf_text(text)))
			return true;
		buf_clear(text);
		if (by->alias)
			by->alias(places->labels, value, text);
		if (by->alias && text_matches(pattern, buf_text(text)))
			return true;
	}
	return false;
}

bool *places_match(const struct places *places, const char *pattern)
{
	bool *matched = xcalloc(places->rows.count, sizeof(*matched));
	struct buf text = { 0 };
	bool any = false;

	for (size_t i = 0; i < places->rows.count; i++) {
		matched[i] = place_matches(places, (uint32_t)i, pattern, &text);
		any = any || matched[i];
	}
	buf_done(&text);
	if (any)
		return matched;
	free(matched);
	return NULL;
}
