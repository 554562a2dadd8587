/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/stacks.h"

#include <elf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "attribute/image_code.h"
#include "attribute/process_code.h"
#include "attribute/stack_reach.h"
#include "attribute/stack_spaces.h"
#include "base/cache_folder.h"
#include "base/clock.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "place/kernel/kernel_symbols.h"
#include "sampling/stack_tables.h"
#include "unwind/unwinder.h"

#if defined(__aarch64__)
#define HOST_MACHINE EM_AARCH64
#else
#define HOST_MACHINE EM_X86_64
#endif

enum { SWEEP_AT_LEAST = 1 << 16 }; /* known stacks before dead ones are removed */

struct hashed_stack {
	uint64_t hash;
	uint64_t space, generation;
	uint32_t reach; /* number in stacks.reaches */
	struct known_stack known;
};

_Static_assert(STACK_MAX_USER == STACK_MOST_USER_FRAMES, "what is asked for can be kept");

struct stacks {
	struct stacks_parts parts;
	struct image_codes *codes;
	struct stack_spaces *spaces;
	VEC(struct hashed_stack) known;
	struct hashidx index; /* of known, by hash */
	struct stack_reaches reaches;
	struct stack_reach reach; /* of the current stack */
	size_t sweep_at;
	uint64_t addresses[STACK_MAX_USER];
	const struct machine_space *space; /* of the process whose stack is being walked */
	size_t copies; /* stacks that came as copies since the last publication */
};

struct stacks *stacks_new(const struct stacks_parts *parts)
{
	struct stacks *stacks = xcalloc(1, sizeof(*stacks));
	char folder[PATH_MAX];

	stacks->parts = *parts;
	stacks->codes = image_codes_new(
		parts->frames->profile, parts->files,
		cache_folder_path("rows", folder, sizeof(folder)) == 0 ? folder : NULL);
	image_codes_set_pause(stacks->codes, &parts->pause);
	stacks->spaces = stack_spaces_new(parts->machine, stacks->codes, parts->tables);
	stacks->sweep_at = SWEEP_AT_LEAST;
	return stacks;
}

void stacks_free(struct stacks *stacks)
{
	if (!stacks)
		return;
	vec_free(&stacks->known);
	hashidx_done(&stacks->index);
	stack_reaches_done(&stacks->reaches);
	stack_reach_done(&stacks->reach);
	stack_spaces_free(stacks->spaces);
	image_codes_free(stacks->codes);
	free(stacks);
}

/* ---- known stacks ---- */

DEFINE_EQUAL(has_hash, struct stacks, known.items, uint64_t, a->hash == *b)

/* NULL: none. */
static const struct hashed_stack *find_hashed(const struct stacks *stacks,
					      const struct user_stack *user)
{
	uint32_t index;

	if (!hashidx_find(&stacks->index, user->hash, has_hash, stacks, &user->hash, &index))
		return NULL;
	return &stacks->known.items[index];
}

/* True if the stack stored under this hash is still valid. */
static bool holds(const struct stacks *stacks, const struct machine_space *space,
		  const struct perf_record *record, const struct hashed_stack *entry)
{
	struct stack_origin origin =
		stack_spaces_origin(stacks->spaces, space, &record->sample.user_stack);

	return origin.known && stack_reaches_unchanged(&stacks->reaches, entry->reach,
						       origin.mappings, origin.serial);
}

const struct known_stack *stacks_known(const struct stacks *stacks,
				       const struct machine_space *space,
				       const struct perf_record *record)
{
	const struct hashed_stack *entry = find_hashed(stacks, &record->sample.user_stack);

	return entry && holds(stacks, space, record, entry) ? &entry->known : NULL;
}

/* Forgets stacks whose tables are so old that no sample comes with them. */
static void sweep(struct stacks *stacks)
{
	struct stack_reaches reaches = { 0 };
	size_t kept = 0;

	hashidx_done(&stacks->index);
	for (size_t i = 0; i < stacks->known.count; i++) {
		struct hashed_stack *entry = &stacks->known.items[i];
		const struct reach_range *ranges;
		size_t count;

		/* stacks of kernel threads need no tables */
		if (entry->generation &&
		    !stack_spaces_alive(stacks->spaces, entry->space, entry->generation))
			continue;
		ranges = stack_reaches_get(&stacks->reaches, entry->reach, &count);
		entry->reach = stack_reaches_add(&reaches, ranges, count);
		hashidx_add(&stacks->index, entry->hash, (uint32_t)kept);
		stacks->known.items[kept++] = *entry;
	}
	stack_reaches_done(&stacks->reaches);
	stacks->reaches = reaches;
	stacks->known.count = kept;
	stacks->sweep_at = kept * 2 > SWEEP_AT_LEAST ? kept * 2 : SWEEP_AT_LEAST;
}

static void make_reach(struct stacks *stacks, const struct machine_space *space,
		       const struct perf_record *record)
{
	const struct user_stack *user = &record->sample.user_stack;

	stack_reach_make(&stacks->reach, space->mappings, user->addresses,
			 user->generation ? user->count : 0);
}

void stacks_remember(struct stacks *stacks, const struct machine_space *space,
		     const struct perf_record *record, const struct known_stack *known)
{
	const struct user_stack *user = &record->sample.user_stack;
	uint32_t index, reach;

	if (!user->hash)
		return;
	/* First, because it renumbers the sets of ranges. */
	if (stacks->known.count >= stacks->sweep_at)
		sweep(stacks);
	make_reach(stacks, space, record);
	reach = stack_reaches_add(&stacks->reaches, stacks->reach.ranges.items,
				  stacks->reach.ranges.count);
	if (hashidx_find(&stacks->index, user->hash, has_hash, stacks, &user->hash, &index)) {
		stacks->known.items[index].known = *known;
		stacks->known.items[index].reach = reach;
		return;
	}
	hashidx_add(&stacks->index, user->hash, (uint32_t)stacks->known.count);
	*vec_push(&stacks->known) = (struct hashed_stack){ .hash = user->hash,
							   .space = user->space,
							   .generation = user->generation,
							   .reach = reach,
							   .known = *known };
}

/* ---- the user part ---- */

static struct unwind_code find_code(void *context, uint64_t address)
{
	struct stacks *stacks = context;
	struct mapping mapping;

	if (machine_find_code(stacks->space, address, &mapping) != CODE_MAPPED)
		return (struct unwind_code){ .mapped = false };
	return image_codes_at(stacks->codes, &mapping, address);
}

/* Code without rows is JIT code; it is read from the process while that lives. */
static int read_code(void *context, uint64_t address, void *to, size_t size)
{
	const struct stacks *stacks = context;
	struct process_code *code = stacks->parts.jit_memory;

	return code && process_code_read(code, stacks->space->pid, address, to, size) ? 0 : -1;
}

/* The walk in the interrupt agrees with this one, and always would: samples need not come with a
 * copy of this stack again. */
static void learn(const struct stacks *stacks, const struct user_stack *user, size_t count)
{
	if (!stacks->parts.tables || !user->hash || !user->generation || count != user->count ||
	    memcmp(user->addresses, stacks->addresses, count * sizeof(*stacks->addresses)) != 0)
		return;
	stack_tables_learn(stacks->parts.tables, user->hash);
}

/* True if the interrupt's walk led through a mapping that changed after its tables were made. */
static bool is_stale(struct stacks *stacks, const struct machine_space *space,
		     const struct perf_record *record)
{
	const struct user_stack *user = &record->sample.user_stack;
	struct stack_origin origin;

	origin = stack_spaces_origin(stacks->spaces, space, user);
	if (origin.known && origin.serial != UINT64_MAX) {
		make_reach(stacks, space, record);
		return !stack_reach_unchanged(&stacks->reach, origin.mappings, origin.serial);
	}
	return !origin.known;
}

/* Shows the stack that will be stored: the interrupt's walk if valid, otherwise ours. */
static void show_walk(struct stacks *stacks, const struct perf_record *record, size_t count,
		      enum stack_end end)
{
	const struct user_stack *user = &record->sample.user_stack;
	const struct stack_observer *observer = stacks->parts.observer;
	const struct machine_space *space = stacks->space;
	struct observed_stack walked = { space, stacks->addresses, count, end };

	if (user->end != STACK_STALE && !is_stale(stacks, space, record))
		walked = (struct observed_stack){ space, user->addresses, user->count, user->end };
	observer->see(observer->context, stacks->parts.frames, stacks->codes, stacks->parts.files,
		      record, &walked);
}

static size_t walk_copy(struct stacks *stacks, const struct machine_space *space,
			const struct perf_record *record, enum stack_end *ret_end)
{
	const struct user_stack *user = &record->sample.user_stack;
	struct unwind_input input = { .machine = HOST_MACHINE,
				      .registers = user->registers,
				      .stack_address = user->stack_address,
				      .stack = user->stack,
				      .stack_size = user->stack_size,
				      .stack_cut = user->stack_cut,
				      .find = find_code,
				      .read_code = read_code,
				      .context = stacks };
	size_t count;

	stacks->space = space;
	stacks->copies++;
	stack_spaces_want(stacks->spaces, space, user);
	count = unwinder_walk(&input, stacks->addresses, stacks->parts.max_depth, ret_end);
	/* The walk in the interrupt went on to a stack that the copy does not have: its program
	 * gets the rows of where it ended. */
	if (*ret_end == STACK_SWITCHED && user->count > count)
		find_code(stacks, (user->addresses[user->count - 1] & ~UNWIND_EXACT) - 1);
	learn(stacks, user, count);
	if (stacks->parts.observer)
		show_walk(stacks, record, count, *ret_end);
	return count;
}

/* Addresses of the user part, innermost first. *ret_addresses is borrowed. */
static size_t user_addresses(struct stacks *stacks, const struct machine_space *space,
			     const struct perf_record *record, const uint64_t **ret_addresses,
			     enum stack_end *ret_end)
{
	const struct user_stack *user = &record->sample.user_stack;

	*ret_addresses = stacks->addresses;
	switch (user->form) {
	case USER_STACK_DUMP:
		return walk_copy(stacks, space, record, ret_end);
	case USER_STACK_ADDRESSES:
	case USER_STACK_CALLCHAIN:
		*ret_addresses = user->addresses;
		*ret_end = user->end;
		return user->count;
	default:
		*ret_end = user->end; /* why there are no addresses */
		return 0;
	}
}

static uint32_t add_frame(const struct stacks *stacks, uint32_t parent, uint32_t frame)
{
	return profile_stack(stacks->parts.frames->profile, parent, frame);
}

static uint32_t root_of(const struct stacks *stacks, enum stack_end end)
{
	if (end == STACK_COMPLETE)
		return 0;
	return add_frame(stacks, 0, profile_cut(stacks->parts.frames->profile, end));
}

static uint32_t add_user_frames(const struct stacks *stacks, uint32_t parent,
				const struct machine_space *space, const uint64_t *addresses,
				size_t count)
{
	for (size_t i = count; i-- > 0;) {
		uint64_t address = addresses[i] & ~UNWIND_EXACT;
		enum frame_kind kind = i == 0			     ? FRAME_EXACT
				       : addresses[i] & UNWIND_EXACT ? FRAME_SIGNAL
								     : FRAME_RETURN;

		parent = add_frame(stacks, parent,
				   frames_user(stacks->parts.frames, space, address, kind));
	}
	return parent;
}

/* True if the kernel is replacing the program's memory; the registers are still those of the old
 * one. */
static bool is_in_exec(const struct stacks *stacks, const uint64_t *kernel, size_t count)
{
	const struct kernel_symbols *symbols = stacks->parts.frames->kernel;

	for (size_t i = 0; symbols && i < count; i++) {
		if (kernel_symbols_mark(symbols, kernel[i]) == KERNEL_MARK_EXEC)
			return true;
	}
	return false;
}

/* A user part without frames. */
static uint32_t no_user_part(const struct stacks *stacks, enum stack_end end, size_t *ret_count)
{
	*ret_count = 0;
	return root_of(stacks, end);
}

/* Returns the innermost user frame, or the cut in its place. *ret_count: number of frames that are
 * code. */
static uint32_t user_part(struct stacks *stacks, const struct machine_space *space,
			  const struct perf_record *record, const uint64_t *kernel,
			  size_t kernel_count, size_t *ret_count)
{
	const uint64_t *addresses;
	enum stack_end end;

	/* The thread has recorded its exit, and runs its last instructions. */
	if (!space->process && record->sample.user_stack.form != USER_STACK_NONE)
		return no_user_part(stacks, STACK_GONE, ret_count);
	/* While exec lays out the new program, the old one's stack leads nowhere. */
	if (space->in_exec)
		return no_user_part(stacks, STACK_IN_EXEC, ret_count);
	if (record->sample.user_stack.form == USER_STACK_ADDRESSES &&
	    is_stale(stacks, space, record))
		return no_user_part(stacks, STACK_STALE, ret_count);
	*ret_count = user_addresses(stacks, space, record, &addresses, &end);
	if (end != STACK_COMPLETE && is_in_exec(stacks, kernel, kernel_count))
		return no_user_part(stacks, STACK_IN_EXEC, ret_count);
	return add_user_frames(stacks, root_of(stacks, end), space, addresses, *ret_count);
}

/* ---- the whole ---- */

/* The innermost address is a program counter, the others are return addresses. */
static uint32_t add_kernel_frames(const struct stacks *stacks, uint32_t parent,
				  const uint64_t *kernel, size_t count)
{
	for (size_t i = count; i-- > 0;)
		parent = add_frame(stacks, parent,
				   frames_kernel(stacks->parts.frames, kernel[i],
						 i ? FRAME_RETURN : FRAME_EXACT));
	return parent;
}

static bool in_user_mode(const struct perf_record *record)
{
	return record->cpu_mode == PERF_RECORD_MISC_USER;
}

uint32_t stacks_make(struct stacks *stacks, const struct machine_space *space,
		     const struct perf_record *record, const uint64_t *kernel, size_t kernel_count)
{
	size_t walked;
	uint32_t parent = user_part(stacks, space, record, kernel, kernel_count, &walked);

	if (!in_user_mode(record) && kernel_count > 0)
		return add_kernel_frames(stacks, parent, kernel, kernel_count);
	/* a walk begins where the sample was taken; without one, add that place */
	if (in_user_mode(record) && walked > 0)
		return parent;
	return add_frame(stacks, parent, frames_leaf(stacks->parts.frames, space, record));
}

uint32_t stacks_unknown(struct stacks *stacks, const struct machine_space *space,
			const struct perf_record *record)
{
	const struct hashed_stack *entry = find_hashed(stacks, &record->sample.user_stack);
	bool stale = entry ? !holds(stacks, space, record, entry)
			   : !stack_spaces_origin(stacks->spaces, space, &record->sample.user_stack)
				      .known;

	return add_frame(stacks, root_of(stacks, stale ? STACK_STALE : STACK_LOST),
			 frames_leaf(stacks->parts.frames, space, record));
}

bool stacks_settle(struct stacks *stacks)
{
	bool lacked = stacks->copies > 0;

	stacks->copies = 0;
	stack_spaces_update(stacks->spaces);
	if (stacks->parts.jit_memory)
		process_code_forget(stacks->parts.jit_memory, clock_ns());
	return lacked;
}
