/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/account/completeness.h"

#include <stdlib.h>
#include <string.h>

#include "base/hashidx.h"
#include "base/xalloc.h"

/* What the outermost frames of a stack tell about it. */
struct outermost {
	enum stack_end end;
	uint32_t image; /* of the frame just inside the one that stands for the end */
};

/* By node of the trie, in which parents come before their children. The caller frees it. */
static struct outermost *outermost_of_all(const struct profile *profile)
{
	const struct stack_node *nodes = profile->stacks.items;
	struct outermost *all = xcalloc(profile->stacks.count, sizeof(*all));

	for (size_t id = 1; id < profile->stacks.count; id++) {
		uint32_t parent = nodes[id].parent;

		if (!parent)
			all[id].end = profile_stack_end(profile, (uint32_t)id);
		else
			all[id] = all[parent];
		if (parent && !nodes[parent].parent)
			all[id].image = profile->frames.items[nodes[id].frame].image;
	}
	return all;
}

static bool has_user_part(const struct profile *profile, const struct total *total)
{
	uint32_t id = profile->tasks.items[total->task].process;
	const struct process *process = &profile->processes.items[id];

	return !process->kernel_thread && process->pid != 0;
}

static bool image_equal(const void *owner, uint32_t id, const void *key)
{
	const struct broken_image *a = &((const struct completeness *)owner)->images.items[id];
	const struct outermost *b = key;

	return a->image == b->image && a->end == b->end;
}

static void hits_add(struct hits *hits, const struct total *total)
{
	hits->samples += total->samples;
	hits->weight += total->weight;
}

static void add_broken(struct completeness *completeness, struct hashidx *index,
		       const struct outermost *outermost, const struct total *total)
{
	uint64_t hash = hash_combine(hash_u64(outermost->image), outermost->end);
	uint32_t id = (uint32_t)completeness->images.count;

	if (!hashidx_find(index, hash, image_equal, completeness, outermost, &id)) {
		hashidx_add(index, hash, id);
		*vec_push(&completeness->images) =
			(struct broken_image){ .image = outermost->image, .end = outermost->end };
	}
	hits_add(&completeness->images.items[id].hits, total);
}

static int heavier(const void *left, const void *right)
{
	const struct broken_image *a = left, *b = right;

	if (a->hits.samples != b->hits.samples)
		return a->hits.samples > b->hits.samples ? -1 : 1;
	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

static bool is_recorded(const char *stacks)
{
	return stacks && *stacks && strcmp(stacks, "none") != 0;
}

bool completeness_is_apart(enum stack_end end)
{
	return end == STACK_IN_EXEC || end == STACK_GONE;
}

void completeness_make(const struct profile *profile, const struct total *totals, size_t count,
		       uint8_t event, struct completeness *ret_completeness)
{
	struct completeness *made = ret_completeness;
	struct hashidx index = { 0 };
	struct outermost *outermost;
	struct runtimes *runtimes;

	*made = (struct completeness){ .recorded = is_recorded(profile->run.stacks) };
	if (!made->recorded)
		return;
	outermost = outermost_of_all(profile);
	runtimes = runtimes_find(profile, totals, count);
	for (size_t i = 0; i < count; i++) {
		const struct total *total = &totals[i];
		const struct outermost *here = &outermost[total->stack];

		if (total->event != event || !has_user_part(profile, total))
			continue;
		hits_add(&made->ends[here->end], total);
		hits_add(completeness_is_apart(here->end) ? &made->apart : &made->whole, total);
		if (completeness_is_apart(here->end))
			continue;
		remedies_add(&made->remedies, runtimes, total, here->end, here->image);
		if (here->end != STACK_COMPLETE)
			add_broken(made, &index, here, total);
	}
	if (made->images.count)
		qsort(made->images.items, made->images.count, sizeof(*made->images.items), heavier);
	remedies_settle(&made->remedies, runtimes);
	hashidx_done(&index);
	runtimes_free(runtimes);
	free(outermost);
}

void completeness_done(struct completeness *completeness)
{
	vec_free(&completeness->images);
	remedies_done(&completeness->remedies);
}

double completeness_percent(const struct completeness *completeness, enum stack_end end)
{
	uint64_t whole = completeness->whole.samples;

	return whole ? 100.0 * (double)completeness->ends[end].samples / (double)whole : 0;
}
