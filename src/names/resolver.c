/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/resolver.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/vec.h"
#include "base/xalloc.h"

/* A source that can answer at all. */
struct link {
	const struct symbol_source *source;
	void *state;
};

/* A frame that a source may name later. */
struct waiting {
	uint32_t frame;
	size_t link;
	uint64_t changes; /* the source's note */
};

struct resolver {
	struct profile *profile;
	struct pause pause;
	VEC(struct link) chain; /* the best first */
	VEC(struct waiting) waiting;
	size_t next; /* first frame that no run has seen */
};

static const struct symbol_source *const usual_sources[] = {
#define SOURCE_ROW(name) &symbol_source_##name,
	SYMBOL_SOURCES(SOURCE_ROW)
#undef SOURCE_ROW
};

struct resolver *resolver_new_of(const struct symbol_parts *parts,
				 const struct symbol_source *const *sources, size_t count)
{
	struct resolver *resolver = xcalloc(1, sizeof(*resolver));

	resolver->profile = parts->profile;
	resolver->pause = parts->pause;
	for (size_t i = 0; i < count; i++) {
		void *state = sources[i]->make(parts);

		if (state)
			*vec_push(&resolver->chain) = (struct link){ sources[i], state };
	}
	return resolver;
}

struct resolver *resolver_new(const struct symbol_parts *parts)
{
	return resolver_new_of(parts, usual_sources,
			       sizeof(usual_sources) / sizeof(*usual_sources));
}

void resolver_free(struct resolver *resolver)
{
	if (!resolver)
		return;
	for (size_t i = 0; i < resolver->chain.count; i++)
		resolver->chain.items[i].source->free(resolver->chain.items[i].state);
	vec_free(&resolver->chain);
	vec_free(&resolver->waiting);
	free(resolver);
}

/* Asks one source and stores its answer. */
static enum symbol_answer ask(struct resolver *resolver, const struct link *link, uint32_t frame,
			      uint64_t *changes)
{
	struct symbol symbol = { .kind = SYMBOL_NONE };
	enum symbol_answer answer = link->source->look_up(link->state, frame, changes, &symbol);
	struct frame *row = &resolver->profile->frames.items[frame];

	if (answer != SYMBOL_FOUND)
		return answer;
	symbol.image = row->image;
	row->symbol = profile_symbol(resolver->profile, &symbol);
	row->dirty = true;
	return answer;
}

/* For most kinds of images. Files get their address from the segments, JIT code when it is
 * placed. */
static void set_address(struct frame *frame, enum image_kind kind)
{
	if (kind == IMAGE_FILE)
		return;
	if (kind != IMAGE_ANON)
		frame->address = frame->offset;
	frame->address_known = true;
}

static void resolve_frame(struct resolver *resolver, uint32_t frame)
{
	const struct profile *profile = resolver->profile;
	uint32_t image = profile->frames.items[frame].image;

	set_address(&profile->frames.items[frame], profile->images.items[image].kind);
	for (size_t i = 0; i < resolver->chain.count; i++) {
		const struct link *link = &resolver->chain.items[i];
		struct waiting waiting = { .frame = frame, .link = i };
		enum symbol_answer answer;

		if (!link->source->answers_for(link->state, &profile->images.items[image]))
			continue;
		answer = ask(resolver, link, frame, &waiting.changes);
		if (answer == SYMBOL_FOUND)
			return;
		if (answer == SYMBOL_LATER)
			*vec_push(&resolver->waiting) = waiting;
	}
}

static void resolve_waiting(struct resolver *resolver)
{
	size_t kept = 0;

	for (size_t i = 0; i < resolver->waiting.count; i++) {
		struct waiting waiting = resolver->waiting.items[i];

		if (ask(resolver, &resolver->chain.items[waiting.link], waiting.frame,
			&waiting.changes) == SYMBOL_LATER)
			resolver->waiting.items[kept++] = waiting;
	}
	resolver->waiting.count = kept;
}

/* A frame to resolve. Sorted by image, so each symbol table is read once. */
struct task_item {
	uint32_t image, frame;
};

DEFINE_ORDER(by_image, struct task_item, COMPARE(a->image, b->image) ?: COMPARE(a->frame, b->frame))

static void resolve_new(struct resolver *resolver)
{
	const struct profile *profile = resolver->profile;
	VEC(struct task_item) items = { 0 };

	for (size_t i = resolver->next ? resolver->next : 1; i < profile->frames.count; i++) {
		if (profile->frames.items[i].symbol == 0)
			*vec_push(&items) =
				(struct task_item){ .image = profile->frames.items[i].image,
						    .frame = (uint32_t)i };
	}
	resolver->next = profile->frames.count;
	if (items.count > 0)
		qsort(items.items, items.count, sizeof(*items.items), by_image);
	for (size_t i = 0; i < items.count; i++) {
		if (i == 0 || items.items[i].image != items.items[i - 1].image)
			pause_take(&resolver->pause);
		resolve_frame(resolver, items.items[i].frame);
	}
	vec_free(&items);
}

void resolver_run(struct resolver *resolver)
{
	for (size_t i = 0; i < resolver->chain.count; i++) {
		const struct link *link = &resolver->chain.items[i];

		if (link->source->begin)
			link->source->begin(link->state);
	}
	resolve_waiting(resolver);
	resolve_new(resolver);
	for (size_t i = 0; i < resolver->chain.count; i++) {
		const struct link *link = &resolver->chain.items[i];

		if (link->source->end)
			link->source->end(link->state);
	}
}
