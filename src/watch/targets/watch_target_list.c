/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_target_list.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"

enum { MOST_TARGETS = 65536 };

void watch_target_list_note(struct watch_target_list *targets, struct buf *note)
{
	*vec_push(&targets->notes) = strpool_intern(&targets->texts, buf_text(note));
	buf_done(note);
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
			      const struct watch_candidate *candidate, const char *behind,
			      str_id *ret_id)
{
	struct buf label = { 0 };

	watch_sources_label(targets->sources, candidate, false, &label);
	buf_add_str(&label, behind);
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
			  const struct probe_target *wanted, const char *behind, struct err *err)
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
	target.label = make_label(targets, candidate, behind, &source.label);
	if (!target.instruction && candidate->image)
		target.go = watch_goes_of(&targets->goes, candidate->image, candidate->address);
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
	watch_goes_done(&targets->goes);
	strpool_done(&targets->texts);
}
