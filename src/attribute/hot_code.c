/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/hot_code.h"

#include <elf.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/compare.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "code/code_decoder.h"
#include "elf/elf_file.h"
#include "elf/vdso.h"
#include "place/files/image_files.h"
#include "place/jit/jit.h"
#include "place/kernel/kernel_symbols.h"
#include "place/kernel/kernel_text.h"

/* A frame of a function whose lines may become known later. */
struct lineless {
	uint32_t frame;
	uint64_t changes; /* see jit_keep_lines */
};

struct hot_code {
	struct profile *profile;
	struct image_files *files;
	struct jit *jit;
	VEC(uint32_t) samples; /* by frame */
	size_t bytes;	       /* kept so far */
	VEC(struct lineless) lineless;
};

/* A function, represented by one of its frames. */
struct hot_function {
	uint32_t symbol, frame;
	uint64_t samples;
};

typedef VEC(struct hot_function) hot_functions;

struct hot_code *hot_code_new(struct profile *profile, struct image_files *files, struct jit *jit)
{
	struct hot_code *hot = xcalloc(1, sizeof(*hot));

	hot->profile = profile;
	hot->files = files;
	hot->jit = jit;
	return hot;
}

void hot_code_free(struct hot_code *hot)
{
	if (!hot)
		return;
	vec_free(&hot->samples);
	vec_free(&hot->lineless);
	free(hot);
}

void hot_code_count(struct hot_code *hot, uint32_t stack)
{
	uint32_t frame = hot->profile->stacks.items[stack].frame;

	while (hot->samples.count <= frame)
		*vec_push(&hot->samples) = 0;
	hot->samples.items[frame]++;
}

/* ---- which functions ---- */

static enum image_kind kind_of(const struct hot_code *hot, uint32_t symbol)
{
	const struct profile *profile = hot->profile;

	return profile->images.items[profile->symbols.items[symbol].image].kind;
}

DEFINE_ORDER(by_samples, struct hot_function,
	     COMPARE(b->samples, a->samples) ?: COMPARE(a->symbol, b->symbol))

/* Finds functions of JIT code (@jit), or all others, hottest first. */
static void find(const struct hot_code *hot, bool jit, hot_functions *functions)
{
	const struct profile *profile = hot->profile;
	_cleanup_free_ uint32_t *of_symbol = xcalloc(profile->symbols.count + 1, sizeof(uint32_t));

	for (uint32_t i = 1; i < hot->samples.count; i++) {
		uint32_t symbol = profile->frames.items[i].symbol;

		if (!hot->samples.items[i] || !symbol ||
		    profile->symbols.items[symbol].kind == SYMBOL_NONE ||
		    (kind_of(hot, symbol) == IMAGE_ANON) != jit)
			continue;
		if (!of_symbol[symbol]) {
			*vec_push(functions) =
				(struct hot_function){ .symbol = symbol, .frame = i };
			of_symbol[symbol] = (uint32_t)functions->count;
		}
		functions->items[of_symbol[symbol] - 1].samples += hot->samples.items[i];
	}
	if (functions->count)
		qsort(functions->items, functions->count, sizeof(*functions->items), by_samples);
}

/* ---- their bytes ---- */

/* A function whose bytes are to be kept. */
struct wanted {
	struct hot_code *hot;
	const struct symbol *symbol;
	struct kept_code code; /* without its bytes */
	size_t size;	       /* number of bytes */
};

static void keep(struct wanted *wanted, void *bytes, size_t size)
{
	wanted->code.bytes = bytes;
	wanted->code.size = (uint32_t)size;
	profile_add_code(wanted->hot->profile, &wanted->code);
	wanted->hot->bytes += size;
}

static void keep_of_elf(struct wanted *wanted, const struct elf_file *file)
{
	const struct elf_segments *segments = elf_file_segments(file);
	_cleanup_free_ uint8_t *bytes = xmalloc(wanted->size);
	struct err err;

	for (size_t i = 0; i < segments->list.count; i++) {
		const struct elf_segment *segment = &segments->list.items[i];
		uint64_t inside = wanted->symbol->start - segment->address;

		if (!segment->executable || inside >= segment->size ||
		    segment->size - inside < wanted->size)
			continue;
		wanted->code.machine = elf_file_machine(file);
		wanted->code.is_64 = elf_file_is_64(file);
		if (elf_file_read_at(file, segment->offset + inside, bytes, wanted->size, &err) ==
		    0)
			keep(wanted, bytes, wanted->size);
		return;
	}
}

static void keep_of_file(struct wanted *wanted)
{
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	int fd = image_files_open(wanted->hot->files, wanted->symbol->image);
	struct err err;

	if (fd >= 0 && elf_file_open(fd, &file, &err) == 0)
		keep_of_elf(wanted, file);
}

static void keep_of_vdso(struct wanted *wanted)
{
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	_cleanup_free_ uint8_t *image = NULL;
	size_t size;
	struct err err;

	if (vdso_copy(&image, &size, &err) == 0 &&
	    elf_file_open_memory(image, size, &file, &err) == 0)
		keep_of_elf(wanted, file);
	elf_file_free(steal_ptr(file)); /* before the memory it reads */
}

static void set_host(struct wanted *wanted)
{
	struct code_machine host = code_machine_host();

	wanted->code.machine = host.machine;
	wanted->code.is_64 = host.is_64;
}

static void keep_of_kernel(struct wanted *wanted, const struct kernel_symbols *kernel,
			   struct kernel_text *text)
{
	_cleanup_free_ uint8_t *bytes = xmalloc(wanted->size);
	uint64_t address;

	set_host(wanted);
	if (text &&
	    kernel_symbols_address(kernel, wanted->symbol->image, wanted->symbol->start,
				   &address) &&
	    kernel_text_read(text, address, bytes, wanted->size, NULL) == 0)
		keep(wanted, bytes, wanted->size);
}

/* False: too few samples, or no room left. */
static bool want(struct hot_code *hot, const struct hot_function *function, struct wanted *wanted)
{
	const struct symbol *symbol = &hot->profile->symbols.items[function->symbol];

	*wanted = (struct wanted){
		.hot = hot,
		.symbol = symbol,
		.code = { .image = symbol->image, .start = symbol->start, .address = symbol->start }
	};
	wanted->size =
		symbol->size < HOT_CODE_FUNCTION_BYTES ? symbol->size : HOT_CODE_FUNCTION_BYTES;
	return function->samples >= HOT_CODE_LEAST_SAMPLES &&
	       hot->bytes + wanted->size <= HOT_CODE_MOST_BYTES &&
	       hot->profile->codes.count <= HOT_CODE_MOST_FUNCTIONS;
}

static void keep_jit(struct wanted *wanted, uint32_t frame)
{
	const struct frame *row = &wanted->hot->profile->frames.items[frame];
	struct buf bytes = { 0 };

	set_host(wanted);
	if (jit_code(wanted->hot->jit, row, &wanted->code.start, &wanted->code.address, &bytes)) {
		keep(wanted, bytes.bytes,
		     bytes.size < HOT_CODE_FUNCTION_BYTES ? bytes.size : HOT_CODE_FUNCTION_BYTES);
		*vec_push(&wanted->hot->lineless) = (struct lineless){ .frame = frame };
	}
	buf_done(&bytes);
}

static void keep_lines(struct hot_code *hot)
{
	size_t kept = 0;

	for (size_t i = 0; i < hot->lineless.count; i++) {
		struct lineless lineless = hot->lineless.items[i];

		if (!jit_keep_lines(hot->jit, &hot->profile->frames.items[lineless.frame], true,
				    &lineless.changes))
			hot->lineless.items[kept++] = lineless;
	}
	hot->lineless.count = kept;
}

void hot_code_keep_jit(struct hot_code *hot)
{
	hot_functions functions = { 0 };
	struct wanted wanted;

	find(hot, true, &functions);
	for (size_t i = 0; i < functions.count; i++) {
		if (!want(hot, &functions.items[i], &wanted))
			break;
		if (!profile_code(hot->profile, functions.items[i].frame))
			keep_jit(&wanted, functions.items[i].frame);
	}
	keep_lines(hot);
	vec_free(&functions);
}

void hot_code_keep_all(struct hot_code *hot, const struct kernel_symbols *kernel)
{
	_cleanup_(kernel_text_freep) struct kernel_text *text = NULL;
	hot_functions functions = { 0 };
	struct wanted wanted;
	bool tried = false;

	find(hot, false, &functions);
	for (size_t i = 0; i < functions.count && want(hot, &functions.items[i], &wanted); i++) {
		enum image_kind kind = kind_of(hot, functions.items[i].symbol);
		struct err err;

		if (!wanted.size || profile_code(hot->profile, functions.items[i].frame))
			continue;
		if (image_kind_is_kernel(kind) && kernel && !tried) {
			tried = true;
			(void)kernel_text_open(&text, &err);
		}
		if (kind == IMAGE_FILE)
			keep_of_file(&wanted);
		else if (kind == IMAGE_VDSO)
			keep_of_vdso(&wanted);
		else if (image_kind_is_kernel(kind))
			keep_of_kernel(&wanted, kernel, text);
	}
	vec_free(&functions);
}

void hot_code_tell_dropped_lines(struct profile *profile, const struct jit *jit)
{
	size_t dropped = jit ? jit_line_counts(jit).dropped : 0;
	_cleanup_free_ char *sentence = NULL;

	if (!dropped)
		return;
	sentence = xasprintf("source lines of JIT code: at most %d are kept, and %zu more were "
			     "needed",
			     JIT_MOST_LINES, dropped);
	profile_not_visible(profile, sentence);
}
