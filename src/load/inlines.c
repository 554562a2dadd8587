/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/frame_lines.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/hashidx.h"
#include "base/xalloc.h"

/* The frames that replace a recorded one, outermost first, in consecutive rows. */
struct levels {
	uint32_t first, count; /* count 0: the frame stays */
};

/* A function of an image by name. */
struct named {
	uint32_t image;
	str_id name;
};

struct expander {
	struct profile *profile;
	struct frame_lines *lines;
	struct levels *levels; /* by recorded frame */
	size_t frame_count;    /* recorded ones */
	struct hashidx names;  /* symbols by name, the first of each */
	bool *has_twin;	       /* by recorded symbol, for the first of each name */
	size_t symbol_count;   /* recorded ones */
};

DEFINE_EQUAL(is_named, struct profile, symbols.items, struct named,
	     a->image == b->image && a->name == b->name)

static uint64_t hash_of(const struct named *named)
{
	return hash_combine(hash_u64(named->name), named->image);
}

static void index_symbols(struct expander *expander)
{
	const struct profile *profile = expander->profile;

	for (uint32_t id = 1; id < expander->symbol_count; id++) {
		const struct symbol *symbol = &profile->symbols.items[id];
		struct named named = { symbol->image, symbol->name };
		uint32_t first;

		if (hashidx_find(&expander->names, hash_of(&named), is_named, profile, &named,
				 &first))
			expander->has_twin[first] = true;
		else
			hashidx_add(&expander->names, hash_of(&named), id);
	}
}

/* If several functions have this name, the inlined one is unknown and gets a new symbol. */
static uint32_t symbol_of(struct expander *expander, uint32_t image, const char *function)
{
	struct profile *profile = expander->profile;
	struct named named = { image, strpool_intern(&profile->strings, function) };
	uint32_t id;

	if (hashidx_find(&expander->names, hash_of(&named), is_named, profile, &named, &id) &&
	    !expander->has_twin[id])
		return id;
	return profile_symbol(
		profile,
		&(struct symbol){ .image = image, .name = named.name, .kind = SYMBOL_NAMED });
}

static void add_frame(struct expander *expander, uint32_t recorded, uint32_t level, uint32_t symbol)
{
	struct profile *profile = expander->profile;
	struct frame frame = profile->frames.items[recorded];

	frame.symbol = symbol;
	frame_lines_add_level(expander->lines, (uint32_t)profile->frames.count, recorded, level);
	*vec_push(&profile->frames) = frame;
}

static void expand_frame(struct expander *expander, uint32_t recorded)
{
	struct profile *profile = expander->profile;
	const struct frame *frame = &profile->frames.items[recorded];
	uint32_t image = frame->image, symbol = frame->symbol;
	struct levels *levels = &expander->levels[recorded];
	size_t count;
	const struct line_place *places = frame_lines_of(expander->lines, recorded, &count);

	if (count < 2)
		return;
	levels->first = (uint32_t)profile->frames.count;
	for (size_t level = count; level-- > 0;) {
		if (level + 1 < count && !*places[level].function)
			continue;
		if (level + 1 < count)
			symbol = symbol_of(expander, image, places[level].function);
		add_frame(expander, recorded, (uint32_t)level, symbol);
	}
	levels->count = (uint32_t)(profile->frames.count - levels->first);
}

struct place_in_image {
	uint32_t image, frame;
	uint64_t address;
};

DEFINE_ORDER(by_place, struct place_in_image,
	     COMPARE(a->image, b->image) ?: COMPARE(a->address, b->address) ?:
	     COMPARE(a->frame, b->frame))

/* Sorted by file and unit, so that each is read once. */
static void expand_frames(struct expander *expander)
{
	const struct profile *profile = expander->profile;
	struct place_in_image *order = xcalloc(expander->frame_count, sizeof(*order));
	bool *used = xcalloc(expander->frame_count, sizeof(*used));
	size_t count = 0;

	for (size_t i = 1; i < profile->stacks.count; i++) {
		uint32_t id = profile->stacks.items[i].frame;
		const struct frame *frame = &profile->frames.items[id];

		if (!used[id])
			order[count++] =
				(struct place_in_image){ frame->image, id, frame->address };
		used[id] = true;
	}
	if (count)
		qsort(order, count, sizeof(*order), by_place);
	for (size_t i = 0; i < count; i++)
		expand_frame(expander, order[i].frame);
	free(used);
	free(order);
}

/* Callers come before their callees, also in the new stacks. */
static void rebuild_stacks(const struct expander *expander, struct inlines *inlines)
{
	struct profile *profile = expander->profile;
	struct profile fresh = { 0 };

	inlines->count = profile->stacks.count;
	inlines->stacks = xcalloc(inlines->count, sizeof(*inlines->stacks));
	vec_reserve(&fresh.stacks, profile->stacks.count);
	*vec_push(&fresh.stacks) = (struct stack_node){ 0 };
	for (size_t i = 1; i < profile->stacks.count; i++) {
		const struct stack_node *node = &profile->stacks.items[i];
		const struct levels *levels = &expander->levels[node->frame];
		uint32_t stack = inlines->stacks[node->parent];

		for (uint32_t level = 0; level < (levels->count ? levels->count : 1); level++) {
			uint32_t depth = fresh.stacks.items[stack].depth + 1;
			uint32_t frame = levels->count ? levels->first + level : node->frame;

			*vec_push(&fresh.stacks) = (struct stack_node){ stack, frame, depth };
			stack = (uint32_t)fresh.stacks.count - 1;
		}
		inlines->stacks[i] = stack;
	}
	vec_free(&profile->stacks);
	profile->stacks.items = fresh.stacks.items;
	profile->stacks.count = fresh.stacks.count;
	profile->stacks.capacity = fresh.stacks.capacity;
}

void inlines_expand(struct profile *profile, struct frame_lines *lines, struct inlines *ret_inlines)
{
	struct expander expander = { .profile = profile,
				     .lines = lines,
				     .frame_count = profile->frames.count,
				     .symbol_count = profile->symbols.count };

	expander.levels = xcalloc(expander.frame_count, sizeof(*expander.levels));
	expander.has_twin = xcalloc(expander.symbol_count, sizeof(*expander.has_twin));
	index_symbols(&expander);
	expand_frames(&expander);
	rebuild_stacks(&expander, ret_inlines);
	hashidx_done(&expander.names);
	free(expander.has_twin);
	free(expander.levels);
}

void inlines_done(struct inlines *inlines)
{
	free(inlines->stacks);
	*inlines = (struct inlines){ 0 };
}

uint32_t inlines_stack(const struct inlines *inlines, uint32_t recorded)
{
	return recorded < inlines->count ? inlines->stacks[recorded] : 0;
}
