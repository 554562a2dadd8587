/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/section_names.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "place/kernel/kernel_marks.h"

static const struct symbol *symbol_at(const struct profile *profile, uint32_t stack)
{
	uint32_t frame = profile->stacks.items[stack].frame;

	return &profile->symbols.items[profile->frames.items[frame].symbol];
}

static bool is_kernel(const struct profile *profile, uint32_t stack)
{
	uint32_t frame = profile->stacks.items[stack].frame;
	uint32_t image = profile->frames.items[frame].image;

	return image_kind_is_kernel(profile->images.items[image].kind);
}

/* The function whose section ended at the stack's innermost frame; NULL: unknown. */
static const char *section_of(const struct profile *profile, uint32_t stack)
{
	enum kernel_section whose = KERNEL_SECTION_OUTER;

	for (; stack && is_kernel(profile, stack); stack = profile->stacks.items[stack].parent) {
		const struct symbol *symbol = symbol_at(profile, stack);
		const char *name = profile_text(profile, symbol->name);

		if (symbol->kind != SYMBOL_NAMED)
			return NULL;
		if (whose == KERNEL_SECTION_OUTER)
			whose = kernel_marks_section(name);
		else
			whose = KERNEL_SECTION_OWN;
		if (whose == KERNEL_SECTION_OWN)
			return name;
	}
	return NULL;
}

/* A frame like the recorded one, named after its section. */
static uint32_t named_frame(struct profile *profile, uint32_t stack)
{
	struct frame frame = profile->frames.items[profile->stacks.items[stack].frame];
	struct symbol symbol = *symbol_at(profile, stack);
	const char *own = profile_text(profile, symbol.name);
	const char *section = section_of(profile, stack);
	_cleanup_free_ char *name = NULL;

	if (section && section != own)
		name = xasprintf("%s" SECTION_NAME_MARK " in %s)", own, section);
	else
		name = xasprintf("%s" SECTION_NAME_MARK ")", own);
	symbol.name = strpool_intern(&profile->strings, name);
	frame.symbol = profile_symbol(profile, &symbol);
	*vec_push(&profile->frames) = frame;
	return (uint32_t)profile->frames.count - 1;
}

void section_names_add(struct profile *profile)
{
	for (uint32_t stack = 1; stack < profile->stacks.count; stack++) {
		const struct frame *frame =
			&profile->frames.items[profile->stacks.items[stack].frame];

		if (frame->kind == FRAME_ENABLES && frame->symbol)
			profile->stacks.items[stack].frame = named_frame(profile, stack);
	}
}
