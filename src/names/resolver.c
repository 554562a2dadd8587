/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/resolver.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "names/table_cache.h"
#include "place/files/image_files.h"
#include "place/jit/jit.h"
#include "place/kernel/kernel_symbols.h"

/* A frame whose name may be told later. */
struct waiting {
	uint32_t frame;
	uint64_t changes; /* see jit_lookup */
};

/* A frame with a name whose lines are to be asked for, or may be understood later. */
struct lineless {
	uint32_t image, frame;
	uint64_t place;	  /* frame.offset */
	uint64_t changes; /* see jit_keep_lines */
};

struct resolver {
	struct profile *profile;
	struct image_files *files;
	struct kernel_symbols *kernel; /* NULL: none */
	struct jit *jit;	       /* NULL: none */
	VEC(struct waiting) waiting;
	VEC(struct lineless) lineless;
	bool unsorted; /* some of these were added since they were gone through */
	struct table_cache *tables;
	size_t next;	 /* the first frame no run has seen */
	struct buf name; /* of the frame being resolved */
	struct pause pause;
};

enum {
	CACHE_BYTES = 4 * 1024 * 1024,
	LINES_BETWEEN = 256 * 1024, /* bytes of records of lines that are read between two pauses */
};

struct resolver *resolver_new(struct profile *profile, struct image_files *files,
			      struct kernel_symbols *kernel)
{
	struct resolver *resolver = xcalloc(1, sizeof(*resolver));

	resolver->profile = profile;
	resolver->files = files;
	resolver->kernel = kernel;
	resolver->tables = table_cache_new(profile, files, CACHE_BYTES);
	return resolver;
}

void resolver_free(struct resolver *resolver)
{
	if (!resolver)
		return;
	table_cache_free(resolver->tables);
	vec_free(&resolver->waiting);
	vec_free(&resolver->lineless);
	buf_done(&resolver->name);
	free(resolver);
}

void resolver_set_debug_files(struct resolver *resolver, struct debug_files *debug_files)
{
	table_cache_set_debug_files(resolver->tables, debug_files);
}

void resolver_set_jit(struct resolver *resolver, struct jit *jit)
{
	resolver->jit = jit;
}

void resolver_set_pause(struct resolver *resolver, struct pause pause)
{
	resolver->pause = pause;
}

static str_id intern(struct resolver *resolver, const char *text)
{
	return strpool_intern(&resolver->profile->strings, text);
}

static void settle(struct resolver *resolver, struct frame *frame, const struct symbol *symbol)
{
	frame->symbol = profile_symbol(resolver->profile, symbol);
	frame->dirty = true;
}

/* A frame of an image that has no names gets one that says so: all of the image's alike. */
static void settle_without(struct resolver *resolver, struct frame *frame, const char *name)
{
	struct symbol symbol = { .image = frame->image,
				 .name = intern(resolver, name),
				 .kind = SYMBOL_NONE };

	settle(resolver, frame, &symbol);
}

/* Where to look: a return address stands behind the call, which may be a function's last
 * instruction. */
static uint64_t looked_up(const struct frame *frame, uint64_t address)
{
	return frame->kind == FRAME_RETURN && address > 0 ? address - 1 : address;
}

static void resolve_in_table(struct resolver *resolver, struct frame *frame,
			     struct cached_table *table)
{
	struct symtab_hit hit;
	struct symbol symbol;

	frame->address_known = table_cache_address(table, frame->offset, &frame->address);
	if (!frame->address_known) {
		settle_without(resolver, frame, "[unknown]");
		return;
	}
	table_cache_lookup(resolver->tables, table, looked_up(frame, frame->address),
			   &resolver->name, &hit);
	symbol = (struct symbol){ .image = frame->image,
				  .name = intern(resolver, buf_text(&resolver->name)),
				  .start = hit.start,
				  .size = hit.size,
				  .kind = hit.kind };
	settle(resolver, frame, &symbol);
}

static void resolve_in_file(struct resolver *resolver, struct frame *frame)
{
	struct cached_table *table = table_cache_get(resolver->tables, frame->image);
	const struct image *image = &resolver->profile->images.items[frame->image];
	char name[64];

	if (table) {
		resolve_in_table(resolver, frame, table);
		return;
	}
	snprintf(name, sizeof(name), "[no symbols: %s]", image_state_name(image->state));
	settle_without(resolver, frame, name);
}

static void resolve_in_kernel(struct resolver *resolver, struct frame *frame)
{
	struct symbol symbol;

	if (!resolver->kernel) {
		settle_without(resolver, frame, "[kernel]");
		return;
	}
	kernel_symbols_lookup(resolver->kernel, frame->image, looked_up(frame, frame->offset),
			      &symbol);
	symbol.image = frame->image;
	settle(resolver, frame, &symbol);
}

static void want_lines(struct resolver *resolver, uint32_t frame)
{
	const struct frame *row = &resolver->profile->frames.items[frame];

	*vec_push(&resolver->lineless) =
		(struct lineless){ .image = row->image, .frame = frame, .place = row->offset };
	resolver->unsorted = true;
}

/* True: there is nothing more to wait for. */
static bool resolve_made(struct resolver *resolver, struct waiting *waiting)
{
	struct frame *frame = &resolver->profile->frames.items[waiting->frame];
	struct symbol symbol;

	switch (jit_lookup(resolver->jit, frame, &waiting->changes, &symbol)) {
	case JIT_NAMED:
		symbol.image = frame->image;
		settle(resolver, frame, &symbol);
		want_lines(resolver, waiting->frame);
		return true;
	case JIT_NOT_YET:
		return false;
	default:
		return true;
	}
}

static void resolve_waiting(struct resolver *resolver)
{
	size_t kept = 0;

	for (size_t i = 0; i < resolver->waiting.count; i++) {
		struct waiting waiting = resolver->waiting.items[i];

		if (!resolve_made(resolver, &waiting))
			resolver->waiting.items[kept++] = waiting;
	}
	resolver->waiting.count = kept;
}

static int by_place(const void *left, const void *right)
{
	const struct lineless *a = left, *b = right;

	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return a->frame < b->frame ? -1 : a->frame > b->frame;
}

/* Frames of one piece of code one after the other, so that its record is read once. */
static void sort_lineless(struct resolver *resolver)
{
	if (resolver->unsorted)
		qsort(resolver->lineless.items, resolver->lineless.count,
		      sizeof(*resolver->lineless.items), by_place);
	resolver->unsorted = false;
}

static void pause_for_lines(struct resolver *resolver, uint64_t *paused_at)
{
	uint64_t bytes_read = jit_line_counts(resolver->jit).bytes_read;

	if (bytes_read - *paused_at < LINES_BETWEEN)
		return;
	*paused_at = bytes_read;
	pause_take(&resolver->pause);
}

static void ask_for_lines(struct resolver *resolver)
{
	size_t kept = 0;
	uint64_t paused_at = resolver->jit ? jit_line_counts(resolver->jit).bytes_read : 0;

	sort_lineless(resolver);
	for (size_t i = 0; i < resolver->lineless.count; i++) {
		struct lineless lineless = resolver->lineless.items[i];

		if (!jit_keep_lines(resolver->jit, &resolver->profile->frames.items[lineless.frame],
				    false, &lineless.changes))
			resolver->lineless.items[kept++] = lineless;
		pause_for_lines(resolver, &paused_at);
	}
	resolver->lineless.count = kept;
}

static void resolve_anon(struct resolver *resolver, struct frame *frame)
{
	const struct image *image = &resolver->profile->images.items[frame->image];
	const char *path = profile_text(resolver->profile, image->path);
	struct waiting waiting = {
		.frame = (uint32_t)(frame - resolver->profile->frames.items),
	};

	settle_without(resolver, frame, *path == '[' ? path : "[anon]");
	if (resolver->jit && !resolve_made(resolver, &waiting))
		*vec_push(&resolver->waiting) = waiting;
}

static void resolve_bucket(struct resolver *resolver, struct frame *frame)
{
	const struct image *image = &resolver->profile->images.items[frame->image];

	settle_without(resolver, frame, profile_text(resolver->profile, image->path));
}

static void resolve_frame(struct resolver *resolver, struct frame *frame)
{
	static void (*const ways[IMAGE_KIND_COUNT])(struct resolver *, struct frame *) = {
		[IMAGE_FILE] = resolve_in_file,	    [IMAGE_VDSO] = resolve_in_file,
		[IMAGE_KERNEL] = resolve_in_kernel, [IMAGE_MODULE] = resolve_in_kernel,
		[IMAGE_BPF] = resolve_in_kernel,    [IMAGE_ANON] = resolve_anon,
		[IMAGE_BUCKET] = resolve_bucket,    [IMAGE_CUT] = resolve_bucket,
		[IMAGE_WAIT] = resolve_bucket,
	};
	enum image_kind kind = resolver->profile->images.items[frame->image].kind;

	if (kind != IMAGE_FILE) {
		if (kind != IMAGE_ANON)
			frame->address = frame->offset;
		frame->address_known = true;
	}
	ways[kind](resolver, frame);
}

/* A frame to resolve. Taken image by image, so that each symbol table is read once. */
struct task_item {
	uint32_t image, frame;
};

static int by_image(const void *left, const void *right)
{
	const struct task_item *a = left, *b = right;

	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	return a->frame < b->frame ? -1 : a->frame > b->frame;
}

void resolver_run(struct resolver *resolver)
{
	struct profile *profile = resolver->profile;
	VEC(struct task_item) items = { 0 };

	if (resolver->jit)
		jit_asking(resolver->jit);
	resolve_waiting(resolver);
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
		resolve_frame(resolver, &profile->frames.items[items.items[i].frame]);
	}
	vec_free(&items);
	ask_for_lines(resolver);
	image_files_rest(resolver->files);
}
