/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_target_list.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "dwarf/go_layout.h"
#include "elf/go_runtime.h"
#include "elf/go_table.h"
#include "watch/probes/probes.h"

enum {
	MOST_TARGETS = 65536,
	GO_NOT_KNOWN = 1, /* the layout that stands for unknown */
};

void watch_target_list_note(struct watch_target_list *targets, struct buf *note)
{
	*vec_push(&targets->notes) = strpool_intern(&targets->texts, buf_text(note));
	buf_done(note);
}

/* ---- Go ---- */

static struct probe_go layout_of(struct watch_image *image, struct go_runtime *runtime)
{
	struct dwarf_file *debug = NULL;

	if (!runtime->has_goid || !runtime->has_stack_hi)
		debug = line_file_debug(watch_image_lines(image));
	if (debug)
		(void)go_layout_read(debug, runtime);
	if (!runtime->has_goid || !runtime->has_stack_hi ||
	    (!runtime->has_g_tls && runtime->g_register == GO_G_REGISTER_NONE))
		return (struct probe_go){ .known = false };
	return (struct probe_go){ .known = true,
				  .in_register = !runtime->has_g_tls,
				  .tls = runtime->has_g_tls ? runtime->g_tls : 0,
				  .goid = runtime->goid,
				  .stack_hi = runtime->stack_hi };
}

static bool is_same_layout(const struct probe_go *a, const struct probe_go *b)
{
	return a->known == b->known && a->in_register == b->in_register && a->tls == b->tls &&
	       a->goid == b->goid && a->stack_hi == b->stack_hi;
}

/* Without room for the layout, it counts as unknown. */
static uint8_t add_layout(struct watch_target_list *targets, const struct probe_go *go)
{
	if (targets->goes.count == 0)
		*vec_push(&targets->goes) = (struct probe_go){ .known = false };
	for (size_t i = 0; i < targets->goes.count; i++) {
		if (is_same_layout(&targets->goes.items[i], go))
			return (uint8_t)(i + 1);
	}
	if (targets->goes.count == PROBE_MOST_GO)
		return GO_NOT_KNOWN;
	*vec_push(&targets->goes) = *go;
	return (uint8_t)targets->goes.count;
}

static void find_text(const struct elf_file *elf, struct watch_go_text *text)
{
	_cleanup_(go_table_freep) struct go_table *table = go_table_open(elf);
	struct go_function first, last;

	if (!table || !go_table_count(table) || !go_table_function(table, 0, &first) ||
	    !go_table_function(table, go_table_count(table) - 1, &last))
		return;
	text->start = first.start;
	text->end = last.end;
}

static struct watch_go_text look_at(struct watch_target_list *targets, struct watch_image *image)
{
	struct watch_go_text text = { .image = image };
	struct go_runtime runtime;
	struct probe_go go;

	if (!go_runtime_read(watch_image_elf(image), &runtime))
		return text;
	go = layout_of(image, &runtime);
	text.go = add_layout(targets, &go);
	text.in_assembly = !go.in_register || runtime.machine == EM_AARCH64;
	find_text(watch_image_elf(image), &text);
	return text;
}

static const struct watch_go_text *text_of(struct watch_target_list *targets,
					   struct watch_image *image)
{
	for (size_t i = 0; i < targets->go_texts.count; i++) {
		if (targets->go_texts.items[i].image == image)
			return &targets->go_texts.items[i];
	}
	*vec_push(&targets->go_texts) = look_at(targets, image);
	return &targets->go_texts.items[targets->go_texts.count - 1];
}

static bool is_assembly(const struct watch_image *image, uint64_t address)
{
	_cleanup_(go_table_freep) struct go_table *table = go_table_open(watch_image_elf(image));
	struct go_function function;

	for (uint64_t i = 0; table && i < go_table_count(table); i++) {
		if (!go_table_function(table, i, &function))
			break;
		if (function.start == address)
			return function.flags & GO_FUNCTION_ASSEMBLY;
	}
	return false;
}

uint8_t watch_target_list_go(struct watch_target_list *targets, struct watch_image *image,
			     uint64_t address)
{
	const struct watch_go_text *text = text_of(targets, image);

	if (address < text->start || address >= text->end)
		return 0;
	return text->in_assembly || !is_assembly(image, address) ? text->go : GO_NOT_KNOWN;
}

/* ---- a target ---- */

static bool is_same(const void *owner, uint32_t id, const void *key)
{
	const struct watch_target_list *targets = owner;
	const struct probe_target *a = &targets->list.items[id], *b = key;

	if (a->user != b->user || a->instruction != b->instruction)
		return false;
	return a->user ? a->offset == b->offset && strcmp(a->path, b->path) == 0
		       : a->address == b->address;
}

/* True if the target is in the list. Otherwise it is indexed as the next one. */
static bool is_there(struct watch_target_list *targets, const struct probe_target *target)
{
	uint64_t hash = hash_combine(hash_u64(target->user ? target->offset : target->address),
				     target->instruction);
	uint32_t id;

	if (hashidx_find(&targets->index, hash, is_same, targets, target, &id))
		return true;
	hashidx_add(&targets->index, hash, (uint32_t)targets->list.count);
	return false;
}

static void add_sentence(struct watch_target_list *targets, const char *label, const char *sentence)
{
	struct buf note = { 0 };

	buf_printf(&note, "%s: %s", label, sentence);
	watch_target_list_note(targets, &note);
}

/* Moves the offsets to a target. */
static const uint64_t *keep_offsets(struct watch_target_list *targets, struct buf *offsets,
				    size_t *ret_count)
{
	const uint64_t *kept;

	*ret_count = offsets->size / sizeof(uint64_t);
	buf_add(offsets, "", 1);
	kept = (const uint64_t *)(const void *)offsets->bytes;
	*vec_push(&targets->blocks) = offsets->bytes;
	*offsets = (struct buf){ 0 };
	return kept;
}

/* Finds where calls of a function in a file end. Return addresses are never replaced: an exception
 * could not pass them. The kernel also kills a program whose calls return in an unexpected order,
 * as they do if it switches stacks, and no one knows in advance which programs do. */
static void add_exits(struct watch_target_list *targets, const struct watch_candidate *candidate,
		      struct probe_target *target)
{
	struct code_ends offsets = { .returns = { 0 } };
	bool loops;

	if (!targets->exits || !candidate->function)
		return;
	target->ends_partly =
		!watch_image_exits(candidate->image, candidate->function, &offsets, &loops);
	target->returns_at = keep_offsets(targets, &offsets.returns, &target->return_count);
	target->jumps_at = keep_offsets(targets, &offsets.jumps, &target->jump_count);
	code_ends_done(&offsets);
	if (loops)
		add_sentence(
			targets, target->label,
			"a loop begins at its first instruction, so entries include iterations");
}

static const char *make_label(struct watch_target_list *targets,
			      const struct watch_candidate *candidate, const char *suffix,
			      str_id *ret_id)
{
	struct buf label = { 0 };

	watch_sources_label(targets->sources, candidate, false, &label);
	buf_add_str(&label, suffix);
	*ret_id = strpool_intern(&targets->texts, buf_text(&label));
	buf_done(&label);
	return strpool_get(&targets->texts, *ret_id);
}

/* Puts the probe where each call passes exactly once. */
static void move_entry(const struct watch_candidate *candidate, struct probe_target *target)
{
	const struct listed_function *function = candidate->function;

	if (function)
		watch_image_offset(candidate->image, watch_image_entry(candidate->image, function),
				   &target->offset);
}

/* Sets the place; false: the file has no code there. */
static bool fill_place(const struct watch_candidate *candidate, uint64_t displacement,
		       struct probe_target *target)
{
	target->user = candidate->image;
	if (candidate->image) {
		target->path = watch_image_path(candidate->image);
		return watch_image_offset(candidate->image, candidate->address + displacement,
					  &target->offset);
	}
	target->name = *candidate->name ? candidate->name : NULL;
	target->module = *candidate->module ? candidate->module : NULL;
	target->address = candidate->address + displacement;
	target->displacement = displacement;
	target->shares_name = candidate->kernel && candidate->kernel->shares_name;
	return true;
}

/* True if a function that returns a pointer may be a thread's start function, which the C library
 * calls. Not the library's own functions, nor allocators that the program replaces. */
static bool may_start(const struct watch_candidate *candidate)
{
	static const char *const allocating[] = { "malloc",   "calloc",	       "realloc",
						  "memalign", "aligned_alloc", "reallocarray",
						  "valloc",   "pvalloc" };
	const char *base;

	if (!candidate->image)
		return false;
	for (size_t i = 0; i < sizeof(allocating) / sizeof(*allocating); i++) {
		if (strcmp(candidate->name, allocating[i]) == 0)
			return false;
	}
	base = file_base(watch_image_shown(candidate->image));
	return strncmp(base, "libc.", 5) != 0 && strncmp(base, "libc-", 5) != 0 &&
	       strncmp(base, "libpthr", 7) != 0 && strncmp(base, "ld-musl", 7) != 0;
}

int watch_target_list_add(struct watch_target_list *targets,
			  const struct watch_candidate *candidate,
			  const struct probe_target *wanted, const char *suffix, struct err *err)
{
	struct probe_target target = *wanted;
	struct watch_target_source source = { .candidate = *candidate };

	if (!fill_place(candidate, wanted->displacement, &target))
		return err_set(err, -ENOENT, "%s: no code at +0x%lx", candidate->name,
			       wanted->displacement);
	if (!target.instruction && candidate->image)
		move_entry(candidate, &target);
	if (targets->list.count == MOST_TARGETS)
		return err_set(err, -EINVAL, "too many functions (at most %d at a time)",
			       MOST_TARGETS);
	if (is_there(targets, &target)) {
		targets->repeated++;
		return 0;
	}
	target.label = make_label(targets, candidate, suffix, &source.label);
	if (!target.instruction && candidate->image)
		target.go = watch_target_list_go(targets, candidate->image, candidate->address);
	if (!target.instruction && candidate->image)
		add_exits(targets, candidate, &target);
	if (!target.instruction && targets->returns) {
		target.returns = watch_sources_returns(targets->sources, candidate);
		target.may_start =
			target.returns.kind == PROBE_RETURN_POINTER && may_start(candidate);
	}
	*vec_push(&targets->list) = target;
	*vec_push(&targets->made_of) = source;
	return 0;
}

int watch_target_list_add_function(struct watch_target_list *targets,
				   const struct watch_candidate *candidate, struct err *err)
{
	const struct probe_target target = { .instruction = !candidate->size && candidate->image };

	return watch_target_list_add(targets, candidate, &target, "", err);
}

/* ---- labels ---- */

/* How ambiguous labels are extended. */
enum telling {
	TELLING_PARAMETERS,
	TELLING_ADDRESS,
	TELLING_COUNT,
};

static void add_telling(const struct watch_target_list *targets, size_t index, enum telling telling,
			struct buf *label)
{
	const struct watch_candidate *candidate = &targets->made_of.items[index].candidate;
	const struct probe_target *target = &targets->list.items[index];

	watch_sources_label(targets->sources, candidate, true, label);
	if (telling == TELLING_ADDRESS)
		buf_printf(label, " 0x%lx", candidate->address);
	if (target->instruction)
		buf_printf(label, "+0x%lx", target->displacement);
}

/* Extends the labels that several targets share. */
static void tell_apart(struct watch_target_list *targets, enum telling telling)
{
	VEC(size_t) counts = { 0 };
	size_t texts = strpool_count(&targets->texts) + 1;

	vec_reserve(&counts, texts);
	memset(counts.items, 0, texts * sizeof(*counts.items));
	for (size_t i = 0; i < targets->made_of.count; i++)
		counts.items[targets->made_of.items[i].label]++;
	for (size_t i = 0; i < targets->made_of.count; i++) {
		struct watch_target_source *source = &targets->made_of.items[i];
		struct buf label = { 0 };

		if (counts.items[source->label] > 1) {
			add_telling(targets, i, telling, &label);
			source->label = strpool_intern(&targets->texts, buf_text(&label));
			targets->list.items[i].label = strpool_get(&targets->texts, source->label);
			buf_done(&label);
		}
	}
	vec_free(&counts);
}

void watch_target_list_tell_apart(struct watch_target_list *targets)
{
	for (int telling = 0; telling < TELLING_COUNT; telling++)
		tell_apart(targets, (enum telling)telling);
}

void watch_target_list_done(struct watch_target_list *targets)
{
	for (size_t i = 0; i < targets->blocks.count; i++)
		free(targets->blocks.items[i]);
	vec_free(&targets->blocks);
	vec_free(&targets->list);
	vec_free(&targets->made_of);
	hashidx_done(&targets->index);
	vec_free(&targets->notes);
	vec_free(&targets->goes);
	vec_free(&targets->go_texts);
	strpool_done(&targets->texts);
}
