/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/export_code.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

#define ONLY_INLINED UINT64_MAX

enum { MOST_LEVELS = 256 }; /* deeper inlined functions are omitted */

void export_code_init(struct export_code *code, const struct labels *labels)
{
	*code = (struct export_code){ .labels = labels };
	strpool_intern(&code->texts, "");
	*vec_push(&code->functions) = (struct export_function){ .name = 0 };
	code->places = xcalloc(labels->profile->frames.count, sizeof(*code->places));
}

void export_code_done(struct export_code *code)
{
	strpool_done(&code->texts);
	vec_free(&code->functions);
	vec_free(&code->levels);
	free(code->places);
	hashidx_done(&code->by_start);
	hashidx_done(&code->by_name);
}

DEFINE_EQUAL(same_start, struct export_code, functions.items, struct export_function,
	     a->linkage == b->linkage && a->image == b->image && a->start == b->start)

DEFINE_EQUAL(same_name, struct export_code, functions.items, struct export_function,
	     a->linkage == b->linkage && a->image == b->image)

static uint64_t hash_name(const struct export_function *key)
{
	return hash_combine(hash_u64(key->linkage), key->image);
}

static uint64_t hash_start(const struct export_function *key)
{
	return hash_combine(hash_name(key), key->start);
}

static str_id readable(struct export_code *code, const char *linkage)
{
	const struct labels *labels = code->labels;

	if (!*linkage)
		linkage = "[unknown]";
	else if (labels->demangle)
		linkage = labels->demangle(labels->demangle_context, linkage);
	return strpool_intern(&code->texts, linkage);
}

static uint32_t add_function(struct export_code *code, const struct export_function *key)
{
	uint32_t id = (uint32_t)code->functions.count, first;

	*vec_push(&code->functions) = *key;
	code->functions.items[id].name = readable(code, strpool_get(&code->texts, key->linkage));
	hashidx_add(&code->by_start, hash_start(key), id);
	if (!hashidx_find(&code->by_name, hash_name(key), same_name, code, key, &first))
		hashidx_add(&code->by_name, hash_name(key), id);
	return id;
}

/* Adds a function that has code. */
static uint32_t add_symbol(struct export_code *code, uint32_t symbol)
{
	const struct profile *profile = code->labels->profile;
	const struct symbol *row = &profile->symbols.items[symbol];
	struct buf place = { 0 };
	bool is_place = code->labels->by_start && labels_place(code->labels, symbol, &place);
	const char *name = is_place ? buf_text(&place) : profile_text(profile, row->name);
	struct export_function key = {
		.linkage = strpool_intern(&code->texts, name),
		.image = row->image,
		.start = row->start,
	};
	uint32_t id;

	buf_done(&place);
	if (hashidx_find(&code->by_start, hash_start(&key), same_start, code, &key, &id))
		return id;
	return add_function(code, &key);
}

static uint32_t inlined(struct export_code *code, uint32_t image, const struct line_place *place)
{
	struct export_function key = {
		.linkage = strpool_intern(&code->texts, place->function),
		.image = image,
		.start = ONLY_INLINED,
	};
	uint32_t id;

	if (hashidx_find(&code->by_name, hash_name(&key), same_name, code, &key, &id))
		return id;
	return add_function(code, &key);
}

static void tell_source(struct export_code *code, uint32_t function, const struct line_place *place)
{
	struct export_function *row = &code->functions.items[function];

	if (row->file || !*place->file)
		return;
	row->file = strpool_intern(&code->texts, place->file);
	row->declared = place->declared;
}

/* Adds a frame and its levels, innermost first; @count may be 0. The outermost level gets its name
 * from the frame's symbol. */
static void add_levels(struct export_code *code, uint32_t frame, const struct line_place *places,
		       size_t count)
{
	const struct frame *row = &code->labels->profile->frames.items[frame];
	uint32_t first = (uint32_t)code->levels.count;
	size_t levels = count ? count : 1;

	for (size_t i = 0; i < levels; i++) {
		struct export_level level = { .line = count ? places[i].line : 0 };

		level.function = i + 1 == levels ? add_symbol(code, row->symbol)
						 : inlined(code, row->image, &places[i]);
		if (count)
			tell_source(code, level.function, &places[i]);
		*vec_push(&code->levels) = level;
	}
	code->places[frame] = (struct export_place){ first, (uint32_t)levels };
}

/* By frame: true if it is in one of the stacks. The caller frees it. */
static bool *used_frames(const struct profile *profile, const struct total *rows, size_t count)
{
	_cleanup_free_ bool *seen = xcalloc(profile->stacks.count, sizeof(*seen));
	bool *used = xcalloc(profile->frames.count, sizeof(*used));

	for (size_t i = 0; i < count; i++) {
		uint32_t stack = rows[i].stack;

		for (; stack && !seen[stack]; stack = profile->stacks.items[stack].parent) {
			seen[stack] = true;
			used[profile->stacks.items[stack].frame] = true;
		}
	}
	return used;
}

static void add_frame(struct export_code *code, struct frame_lines *lines, bool inlines,
		      uint32_t frame)
{
	const struct line_place *places = NULL;
	size_t count = 0, first;

	if (lines)
		places = frame_lines_of(lines, frame, &count);
	if (!places)
		count = 0;
	first = count > MOST_LEVELS ? count - MOST_LEVELS : 0;
	if (!inlines && count > 0)
		first = count - 1;
	add_levels(code, frame, places ? places + first : NULL, count - first);
}

void export_code_fill(struct export_code *code, struct frame_lines *lines, bool inlines,
		      const struct total *rows, size_t count)
{
	const struct profile *profile = code->labels->profile;
	_cleanup_free_ bool *used = used_frames(profile, rows, count);

	/* Functions with code first, so that inlined copies find them by name. */
	for (uint32_t frame = 0; frame < profile->frames.count; frame++) {
		if (used[frame])
			add_symbol(code, profile->frames.items[frame].symbol);
	}
	for (uint32_t frame = 0; frame < profile->frames.count; frame++) {
		if (used[frame])
			add_frame(code, lines, inlines, frame);
	}
}

const char *export_code_name(const struct export_code *code, uint32_t function)
{
	return strpool_get(&code->texts, code->functions.items[function].name);
}

const char *export_code_linkage(const struct export_code *code, uint32_t function)
{
	return strpool_get(&code->texts, code->functions.items[function].linkage);
}

const char *export_code_file(const struct export_code *code, uint32_t function)
{
	return strpool_get(&code->texts, code->functions.items[function].file);
}
