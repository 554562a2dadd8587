/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The placeholder for a frame that no other source can name: a text in brackets that says why, the
 * same for all frames of an image. */
#include "names/symbol_source.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"

struct placeholder_source {
	struct profile *profile;
};

static void *make(const struct symbol_parts *parts)
{
	struct placeholder_source *source = xcalloc(1, sizeof(*source));

	source->profile = parts->profile;
	return source;
}

static bool answers_for(void *state, const struct image *image)
{
	(void)state;
	(void)image;
	return true;
}

static str_id text_for(struct profile *profile, const struct image *image)
{
	const char *path = profile_text(profile, image->path);
	char text[64];

	switch (image->kind) {
	case IMAGE_FILE:
	case IMAGE_VDSO:
		snprintf(text, sizeof(text), "[no symbols: %s]", image_state_name(image->state));
		return strpool_intern(&profile->strings, text);
	case IMAGE_KERNEL:
	case IMAGE_MODULE:
	case IMAGE_BPF:
		return strpool_intern(&profile->strings, "[kernel]");
	case IMAGE_ANON:
		return *path == '[' ? image->path : strpool_intern(&profile->strings, "[anon]");
	default: /* a bucket's path is its name */
		return image->path;
	}
}

// NOLINTNEXTLINE(readability-non-const-parameter): the interface's type
static enum symbol_answer look_up(void *state, uint32_t frame, uint64_t *changes,
				  struct symbol *ret_symbol)
{
	struct placeholder_source *source = state;
	struct profile *profile = source->profile;
	const struct image *image = &profile->images.items[profile->frames.items[frame].image];

	(void)changes;
	*ret_symbol = (struct symbol){ .name = text_for(profile, image), .kind = SYMBOL_NONE };
	return SYMBOL_FOUND;
}

const struct symbol_source symbol_source_placeholder = {
	.name = "placeholder",
	.make = make,
	.answers_for = answers_for,
	.look_up = look_up,
	.free = free,
};
