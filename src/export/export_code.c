/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/export_code.h"

#include <stdlib.h>

#include "base/xalloc.h"

#define ONLY_INLINED UINT64_MAX

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
	buf_done(&code->text);
}

static bool same_start(const void *owner, uint32_t id, const void *key)
{
	const struct export_function *a = &((const struct export_code *)owner)->functions.items[id];
	const struct export_function *b = key;

	return a->linkage == b->linkage && a->image == b->image && a->start == b->start;
}

static bool same_name(const void *owner, uint32_t id, const void *key)
{
	const struct export_function *a = &((const struct export_code *)owner)->functions.items[id];
	const struct export_function *b = key;

	return a->linkage == b->linkage && a->image == b->image;
}

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

uint32_t export_code_symbol(struct export_code *code, uint32_t symbol)
{
	const struct profile *profile = code->labels->profile;
	const struct symbol *row = &profile->symbols.items[symbol];
	struct export_function key = {
		.linkage = strpool_intern(&code->texts, profile_text(profile, row->name)),
		.image = row->image,
		.start = row->start,
	};
	uint32_t id;

	if (hashidx_find(&code->by_start, hash_start(&key), same_start, code, &key, &id))
		return id;
	return add_function(code, &key);
}

static uint32_t inlined(struct export_code *code, uint32_t image, const struct export_line *line)
{
	struct export_function key = {
		.linkage = strpool_intern(&code->texts, line->function),
		.image = image,
		.start = ONLY_INLINED,
	};
	uint32_t id;

	if (hashidx_find(&code->by_name, hash_name(&key), same_name, code, &key, &id))
		return id;
	return add_function(code, &key);
}

static void tell_source(struct export_code *code, uint32_t function, const struct export_line *line)
{
	struct export_function *row = &code->functions.items[function];

	if (row->file || !*line->file)
		return;
	row->file = strpool_intern(&code->texts, line->file);
	row->declared = line->declared;
}

void export_code_add(struct export_code *code, uint32_t frame, const struct export_line *lines,
		     size_t count)
{
	const struct frame *row = &code->labels->profile->frames.items[frame];
	uint32_t first = (uint32_t)code->levels.count;
	size_t levels = count ? count : 1;

	for (size_t i = 0; i < levels; i++) {
		struct export_level level = { .line = count ? lines[i].line : 0 };

		level.function = i + 1 == levels ? export_code_symbol(code, row->symbol)
						 : inlined(code, row->image, &lines[i]);
		if (count)
			tell_source(code, level.function, &lines[i]);
		*vec_push(&code->levels) = level;
	}
	code->places[frame] = (struct export_place){ first, (uint32_t)levels };
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
