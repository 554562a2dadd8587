/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running kernel, its modules and its BPF programs. */
#include "names/symbol_source.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "place/kernel/kernel_symbols.h"

struct kernel_source {
	const struct profile *profile;
	struct kernel_symbols *kernel;
};

static void *make(const struct symbol_parts *parts)
{
	struct kernel_source *source;

	if (!parts->kernel)
		return NULL;
	source = xcalloc(1, sizeof(*source));
	source->profile = parts->profile;
	source->kernel = parts->kernel;
	return source;
}

static bool answers_for(void *state, const struct image *image)
{
	(void)state;
	return image_kind_is_kernel(image->kind);
}

// NOLINTNEXTLINE(readability-non-const-parameter): the interface's type
static enum symbol_answer look_up(void *state, uint32_t frame, uint64_t *changes,
				  struct symbol *ret_symbol)
{
	const struct kernel_source *source = state;
	const struct frame *row = &source->profile->frames.items[frame];

	(void)changes;
	kernel_symbols_lookup(source->kernel, row->image, symbol_source_place(row, row->offset),
			      ret_symbol);
	return SYMBOL_FOUND;
}

const struct symbol_source symbol_source_kernel = {
	.name = "kernel",
	.make = make,
	.answers_for = answers_for,
	.look_up = look_up,
	.free = free,
};
