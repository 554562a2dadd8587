/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names from what programs announce of their JIT code. Also keeps the source lines of frames with a
 * name, because the announcement may be gone when a view needs them. */
#include "names/symbol_source.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "place/jit/jit.h"

enum {
	LINES_BETWEEN = 256 * 1024, /* bytes of line records to read between two pauses */
};

/* A named frame whose lines were not looked up yet, or may be understood later. */
struct lineless {
	uint32_t image, frame;
	uint64_t place;	  /* frame.offset */
	uint64_t changes; /* see jit_keep_lines */
};

struct jit_source {
	struct profile *profile;
	struct jit *jit;
	struct pause pause;
	VEC(struct lineless) lineless;
	bool unsorted; /* some were added since the last sort */
};

static void *make(const struct symbol_parts *parts)
{
	struct jit_source *source;

	if (!parts->jit)
		return NULL;
	source = xcalloc(1, sizeof(*source));
	source->profile = parts->profile;
	source->jit = parts->jit;
	source->pause = parts->pause;
	return source;
}

static bool answers_for(void *state, const struct image *image)
{
	(void)state;
	return image->kind == IMAGE_ANON;
}

static void begin(void *state)
{
	const struct jit_source *source = state;

	jit_asking(source->jit);
}

static void want_lines(struct jit_source *source, uint32_t frame)
{
	const struct frame *row = &source->profile->frames.items[frame];

	*vec_push(&source->lineless) =
		(struct lineless){ .image = row->image, .frame = frame, .place = row->offset };
	source->unsorted = true;
}

static enum symbol_answer look_up(void *state, uint32_t frame, uint64_t *changes,
				  struct symbol *ret_symbol)
{
	struct jit_source *source = state;

	switch (jit_lookup(source->jit, &source->profile->frames.items[frame], changes,
			   ret_symbol)) {
	case JIT_NAMED:
		want_lines(source, frame);
		return SYMBOL_FOUND;
	case JIT_NOT_YET:
		return SYMBOL_LATER;
	default:
		return SYMBOL_PASS;
	}
}

DEFINE_ORDER(by_place, struct lineless,
	     COMPARE(a->image, b->image) ?: COMPARE(a->place, b->place) ?:
	     COMPARE(a->frame, b->frame))

/* Puts frames of one piece of code together, so its record is read once. */
static void sort_lineless(struct jit_source *source)
{
	if (source->unsorted)
		qsort(source->lineless.items, source->lineless.count,
		      sizeof(*source->lineless.items), by_place);
	source->unsorted = false;
}

static void pause_for_lines(struct jit_source *source, uint64_t *paused_at)
{
	uint64_t bytes_read = jit_line_counts(source->jit).bytes_read;

	if (bytes_read - *paused_at < LINES_BETWEEN)
		return;
	*paused_at = bytes_read;
	pause_take(&source->pause);
}

/* Looks up the lines of all frames that lack them. */
static void end(void *state)
{
	struct jit_source *source = state;
	uint64_t paused_at = jit_line_counts(source->jit).bytes_read;
	size_t kept = 0;

	sort_lineless(source);
	for (size_t i = 0; i < source->lineless.count; i++) {
		struct lineless lineless = source->lineless.items[i];

		if (!jit_keep_lines(source->jit, &source->profile->frames.items[lineless.frame],
				    false, &lineless.changes))
			source->lineless.items[kept++] = lineless;
		pause_for_lines(source, &paused_at);
	}
	source->lineless.count = kept;
}

static void jit_source_free(void *state)
{
	struct jit_source *source = state;

	vec_free(&source->lineless);
	free(source);
}

const struct symbol_source symbol_source_jit = {
	.name = "jit",
	.make = make,
	.answers_for = answers_for,
	.look_up = look_up,
	.begin = begin,
	.end = end,
	.free = jit_source_free,
};
