/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampling/word_space.h"

#include <string.h>

static uint32_t round_up(uint32_t words, uint32_t unit)
{
	return (words + unit - 1) / unit * unit;
}

/* Finds where @words fit into a hole. False if nowhere. */
static bool place(const struct word_space *space, const struct word_extent *hole, uint32_t words,
		  bool whole, uint32_t *ret_start)
{
	uint32_t start = hole->start;

	if (whole && start / space->segment != (start + words - 1) / space->segment)
		start = round_up(start, space->segment);
	*ret_start = start;
	return words <= hole->words && start - hole->start <= hole->words - words;
}

static void insert_hole(struct word_space *space, size_t at, struct word_extent hole)
{
	vec_push(&space->holes);
	memmove(&space->holes.items[at + 1], &space->holes.items[at],
		(space->holes.count - 1 - at) * sizeof(hole));
	space->holes.items[at] = hole;
}

static void remove_hole(struct word_space *space, size_t at)
{
	space->holes.count--;
	memmove(&space->holes.items[at], &space->holes.items[at + 1],
		(space->holes.count - at) * sizeof(space->holes.items[0]));
}

/* Takes a piece out of a hole, which leaves none, one or two holes. */
static void cut(struct word_space *space, size_t at, uint32_t start, uint32_t words)
{
	struct word_extent hole = space->holes.items[at];
	struct word_extent rest = { start + words, hole.start + hole.words - start - words };

	remove_hole(space, at);
	if (rest.words)
		insert_hole(space, at, rest);
	if (start > hole.start)
		insert_hole(space, at, (struct word_extent){ hole.start, start - hole.start });
}

static bool take_from_holes(struct word_space *space, uint32_t words, bool whole,
			    struct word_extent *ret_extent)
{
	uint32_t start;

	for (size_t i = 0; i < space->holes.count; i++) {
		if (!place(space, &space->holes.items[i], words, whole, &start))
			continue;
		cut(space, i, start, words);
		*ret_extent = (struct word_extent){ start, words };
		return true;
	}
	return false;
}

bool word_space_take(struct word_space *space, uint32_t words, bool whole,
		     struct word_extent *ret_extent)
{
	uint32_t wanted = round_up(words ? words : 1, WORD_SPACE_UNIT);
	uint32_t more = round_up(wanted, space->segment);

	if (words > space->limit)
		return false;
	if (take_from_holes(space, wanted, whole, ret_extent))
		return true;
	if (more > space->limit - space->end)
		return false;
	space->end += more;
	word_space_give(space, (struct word_extent){ space->end - more, more });
	return take_from_holes(space, wanted, whole, ret_extent);
}

void word_space_give(struct word_space *space, struct word_extent extent)
{
	struct word_extent *holes = space->holes.items;
	size_t at = 0;

	if (extent.words == 0)
		return;
	while (at < space->holes.count && holes[at].start < extent.start)
		at++;
	if (at > 0 && holes[at - 1].start + holes[at - 1].words == extent.start) {
		holes[--at].words += extent.words;
	} else {
		insert_hole(space, at, extent);
		holes = space->holes.items;
	}
	if (at + 1 < space->holes.count &&
	    holes[at].start + holes[at].words == holes[at + 1].start) {
		holes[at].words += holes[at + 1].words;
		remove_hole(space, at + 1);
	}
}

uint32_t word_space_free_words(const struct word_space *space)
{
	uint32_t words = 0;

	for (size_t i = 0; i < space->holes.count; i++)
		words += space->holes.items[i].words;
	return words;
}

void word_space_done(struct word_space *space)
{
	vec_free(&space->holes);
}
