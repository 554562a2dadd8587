/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbol tables of ELF files and of their debug files, and the vdso's. */
#include "names/symbol_source.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "names/table_cache.h"
#include "place/files/image_files.h"

enum { CACHE_BYTES = 4 * 1024 * 1024 };

struct file_source {
	struct profile *profile;
	struct image_files *files;
	struct table_cache *tables;
	struct buf name; /* of the current frame */
};

static void *make(const struct symbol_parts *parts)
{
	struct file_source *source;

	if (!parts->files)
		return NULL;
	source = xcalloc(1, sizeof(*source));
	source->profile = parts->profile;
	source->files = parts->files;
	source->tables = table_cache_new(parts->profile, parts->files, CACHE_BYTES);
	if (parts->debug_files)
		table_cache_set_debug_files(source->tables, parts->debug_files);
	return source;
}

static bool answers_for(void *state, const struct image *image)
{
	(void)state;
	return image->kind == IMAGE_FILE || image->kind == IMAGE_VDSO;
}

static str_id intern(struct file_source *source, const char *text)
{
	return strpool_intern(&source->profile->strings, text);
}

// NOLINTNEXTLINE(readability-non-const-parameter): the interface's type
static enum symbol_answer look_up(void *state, uint32_t frame, uint64_t *changes,
				  struct symbol *ret_symbol)
{
	struct file_source *source = state;
	struct frame *row = &source->profile->frames.items[frame];
	struct cached_table *table = table_cache_get(source->tables, row->image);
	struct symtab_hit hit;

	(void)changes;
	if (!table)
		return SYMBOL_PASS;
	row->address_known = table_cache_address(table, row->offset, &row->address);
	if (!row->address_known) {
		*ret_symbol =
			(struct symbol){ .name = intern(source, "[unknown]"), .kind = SYMBOL_NONE };
		return SYMBOL_FOUND;
	}
	table_cache_lookup(source->tables, table, symbol_source_place(row, row->address),
			   &source->name, &hit);
	*ret_symbol = (struct symbol){ .name = intern(source, buf_text(&source->name)),
				       .start = hit.start,
				       .size = hit.size,
				       .kind = hit.kind };
	return SYMBOL_FOUND;
}

static void end(void *state)
{
	const struct file_source *source = state;

	image_files_rest(source->files);
}

static void file_source_free(void *state)
{
	struct file_source *source = state;

	table_cache_free(source->tables);
	buf_done(&source->name);
	free(source);
}

const struct symbol_source symbol_source_file = {
	.name = "file",
	.make = make,
	.answers_for = answers_for,
	.look_up = look_up,
	.end = end,
	.free = file_source_free,
};
