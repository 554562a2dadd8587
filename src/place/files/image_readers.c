/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/image_readers.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "foreign/foreign.h"

/* A set of users is a word with one bit each; users beyond MANY share the last bit. */
enum { MANY = 63 };

struct user_sets {
	const struct profile *profile;
	uint32_t uids[MANY];
	unsigned count;
	uint64_t *of_process, *of_stack, *of_image;
};

static uint64_t bit_of(struct user_sets *sets, uint32_t uid)
{
	for (unsigned i = 0; i < sets->count; i++) {
		if (sets->uids[i] == uid)
			return 1ULL << i;
	}
	if (sets->count == MANY)
		return 1ULL << MANY;
	sets->uids[sets->count] = uid;
	return 1ULL << sets->count++;
}

/* Spreads the users of a stack to the images of its frames. A parent's number is below those of its
 * children. */
static void spread(struct user_sets *sets)
{
	const struct profile *profile = sets->profile;

	for (size_t i = profile->stacks.count; i-- > 1;) {
		const struct stack_node *node = &profile->stacks.items[i];

		sets->of_stack[node->parent] |= sets->of_stack[i];
		sets->of_image[profile->frames.items[node->frame].image] |= sets->of_stack[i];
	}
}

/* Images of files and of JIT code: users chose what their debug information names. */
static bool is_of_users(const struct image *image)
{
	return image->kind == IMAGE_FILE || image->kind == IMAGE_ANON;
}

static void add_set(const struct user_sets *sets, uint64_t set, struct readers *readers)
{
	for (unsigned i = 0; i < sets->count; i++) {
		if (set & 1ULL << i)
			readers_add(readers, sets->uids[i]);
	}
	readers->anybody |= (set & 1ULL << MANY) != 0;
}

void image_readers_add_users(struct image_readers *readers, const struct profile *profile,
			     const struct total *totals, size_t count)
{
	struct user_sets sets = { .profile = profile };

	sets.of_process = xcalloc(profile->processes.count, sizeof(uint64_t));
	sets.of_stack = xcalloc(profile->stacks.count, sizeof(uint64_t));
	sets.of_image = xcalloc(profile->images.count, sizeof(uint64_t));
	for (size_t i = 1; i < profile->processes.count; i++)
		sets.of_process[i] = bit_of(&sets, profile->processes.items[i].uid);
	for (size_t i = 0; i < count; i++)
		sets.of_stack[totals[i].stack] |=
			sets.of_process[profile->tasks.items[totals[i].task].process];
	spread(&sets);
	readers->count = profile->images.count;
	readers->images = xcalloc(readers->count, sizeof(*readers->images));
	for (size_t i = 0; i < readers->count; i++) {
		struct readers *image = &readers->images[i];

		*image = readers->all;
		if (!is_of_users(&profile->images.items[i]))
			continue;
		add_set(&sets, sets.of_image[i], image);
		image->anybody |= sets.of_image[i] == 0;
	}
	free(sets.of_process);
	free(sets.of_stack);
	free(sets.of_image);
}

void image_readers_done(struct image_readers *readers)
{
	free(readers->images);
	foreign_free(readers->all.foreign);
	*readers = (struct image_readers){ 0 };
}

const struct readers *image_readers_of(const struct image_readers *readers, uint32_t image)
{
	static const struct readers ourselves = { 0 };

	if (!readers)
		return &ourselves;
	return image < readers->count ? &readers->images[image] : &readers->all;
}
