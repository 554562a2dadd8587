/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Walks a user stack with the tables that user space wrote, from registers that were taken before,
 * in programs of any kind. Also copies registers and stack where the tables do not suffice. The
 * results are in the CPU's struct scratch.
 */
#ifndef BPF_STACK_WALK_BPF_H
#define BPF_STACK_WALK_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define UNWIND_READ(memory, address, to, size) \
	((void)(memory), bpf_probe_read_user(to, size, (const void *)(address)))

#include "bpf/stack_tables.bpf.h"
#include "bpf/stack_tasks.bpf.h"
#include "bpf/stack_wire.h"
#include "bpf/unwind_step.h"

/* Set before loading. */
const volatile __u32 max_depth = 512;
const volatile __u32 dump_bytes = STACK_DUMP_MAX; /* a multiple of 8 */

enum {
	/* Words after a record: addresses and registers, then the stack copy. */
	HEAD_WORDS = 2048,
	TAIL_WORDS = HEAD_WORDS + STACK_DUMP_MAX / 8,
	RED_ZONE = 128,	    /* bytes below sp that the function may use (x86-64 psABI 3.2.2) */
	PIECE_BYTES = 4096, /* a page: if it is readable, then to its end */
	PIECES = STACK_DUMP_MAX / PIECE_BYTES + 1,
	REGISTER_WORDS = sizeof(struct unwind_registers) / 8,
	RECORD_SKIP = sizeof(__u32), /* the start of a record, its raw_size, which perf writes */
};

_Static_assert(STACK_MAX_KERNEL + STACK_MAX_USER + REGISTER_WORDS <= HEAD_WORDS, "they fit");

/* The compiler knows more than the verifier and drops bounds checks that it finds redundant. After
 * this macro it knows nothing about the variable. */
#define HIDE_BOUNDS(variable) asm volatile("" : "+r"(variable))

/* Data of a run that does not fit onto the BPF stack; one per CPU, where runs do not nest. */
struct scratch {
	struct unwind_frame frame;
	struct unwind_registers registers;
	struct unwind_scan scan;      /* of the innermost frame, if that has no rule */
	struct stack_mapping mapping; /* of the last frame */
	struct stack_block block;
	struct stack_space space;
	__u64 hash;
	__u64 stack_top; /* of the main thread */
	__u32 kernel_count, user_count;
	__u32 end;   /* enum unwind_end */
	__u32 stale; /* a table lacks something: send a dump */
	struct stack_record record;
	__u64 tail[TAIL_WORDS + PIECE_BYTES / 8];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set before loading: CPUs */
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

static __always_inline __u64 mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

/* ---- the walk ---- */

static __always_inline int is_entry(const struct stack_block *block, __u64 address)
{
	return (address >= block->entry_start[0] && address < block->entry_end[0]) ||
	       (address >= block->entry_start[1] && address < block->entry_end[1]);
}

static __always_inline int stop(struct scratch *s, enum unwind_end end)
{
	s->end = end;
	return 1;
}

/* A frame that no table explains. If only frame pointers led there, the guess was wrong. */
static __always_inline int stop_nowhere(struct scratch *s)
{
	if (s->frame.guessed)
		return stop(s, UNWIND_END_NO_ROWS);
	s->stale = 1;
	return stop(s, UNWIND_END_STALE);
}

static __always_inline void add_address(struct scratch *s)
{
	__u64 address = s->frame.pc;

	if (s->frame.exact && s->user_count)
		address |= UNWIND_EXACT;
	s->tail[(s->kernel_count + s->user_count) & (HEAD_WORDS - 1)] = address;
	s->user_count++;
	s->hash = mix(s->hash, address);
}

/* A signal handler returns to code that did not call it: the address is exact, not a return
 * address. */
static __always_inline void mark_trampoline(struct scratch *s, const struct unwind_rule *rule)
{
	if (rule && rule->flags & UNWIND_RULE_SIGNAL && s->user_count > 1)
		s->tail[(s->kernel_count + s->user_count - 1) & (HEAD_WORDS - 1)] |= UNWIND_EXACT;
}

static __always_inline struct scratch *own_scratch(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&scratches, &cpu);
}

/* Verified once, independent of its callers. */
__attribute__((noinline)) int scan_in_call(__u32 index)
{
	struct scratch *s = own_scratch();

	(void)index;
	return s ? unwind_scan_step(&s->scan, NULL) : UNWIND_SCAN_UNKNOWN;
}

static __always_inline void scan(struct scratch *s)
{
	unwind_scan_begin(&s->scan, &s->frame, NULL);
	for (__u32 i = 0; i < UNWIND_SCAN_STEPS; i++) {
		if (scan_in_call(i) != UNWIND_SCAN_MORE)
			break;
	}
}

/* Walks one frame; 1: the walk is over. */
static __always_inline int walk_frame(struct scratch *s)
{
	__u64 address = unwind_lookup_address(&s->frame);
	const struct unwind_rule *rule = NULL;
	const struct unwind_registers *registers = NULL;
	struct unwind_place place = { .rule = NULL };
	enum unwind_end end;
	__u32 kind;

	if (s->user_count >= max_depth)
		return stop(s, UNWIND_END_TOO_DEEP);
	if (address < s->mapping.start || address >= s->mapping.end) {
		if (!find_mapping(s->space.block, s->space.mapping_count, address, &s->mapping)) {
			s->mapping.end = 0;
			if (s->user_count == 0)
				add_address(s);
			return stop_nowhere(s);
		}
	}
	add_address(s);
	kind = STACK_MAPPING_KIND(s->mapping.page_count);
	if (kind == STACK_MAP_WAITING) {
		s->stale = 1;
		return stop(s, UNWIND_END_STALE);
	}
	if (kind == STACK_MAP_ROWS)
		rule = find_rule(&s->mapping, address);
	mark_trampoline(s, rule);
	place.rule = rule;
	place.entry = !!is_entry(&s->block, address);
	place.has_rows = kind == STACK_MAP_ROWS;
	if (s->user_count == 1) {
		registers = &s->registers;
		if (!rule && !STACK_ARM64) {
			scan(s);
			place.scan = &s->scan;
		}
	}
	/* the verifier does not know that the pointers are set exactly if the count is 1 */
	HIDE_BOUNDS(registers);
	HIDE_BOUNDS(place.scan);
	end = unwind_step(&s->frame, &place, registers, NULL, STACK_ARM64);
	return end == UNWIND_MORE ? 0 : stop(s, unwind_finish(&s->frame, end));
}

static long walk_in_loop(__u32 index, void *context)
{
	struct scratch *s = own_scratch();

	(void)index;
	(void)context;
	return s ? walk_frame(s) : 1;
}

/* Verified once, independent of its callers. */
__attribute__((noinline)) int walk_in_call(__u32 index)
{
	struct scratch *s = own_scratch();

	(void)index;
	return s ? walk_frame(s) : 1;
}

static __always_inline void walk(int by_loop)
{
	if (by_loop) {
		bpf_loop(STACK_MAX_USER + 1, walk_in_loop, NULL, 0);
		return;
	}
	for (__u32 i = 0; i <= STACK_MAX_USER; i++) {
		if (walk_in_call(i))
			break;
	}
}

/* Copies the space's table, so that searches need not look it up again. 0 if it has none. */
static __always_inline int find_space(struct scratch *s, __u64 id)
{
	const struct stack_space *space = bpf_map_lookup_elem(&spaces, &id);
	const struct stack_block *block;
	struct segment *segment;

	if (!space)
		return 0;
	s->space = *space;
	segment = find_segment(s->space.block);
	if (!segment)
		return 0;
	block = segment_item(segment, (s->space.block % STACK_SEGMENT_WORDS) * 4, 0,
			     sizeof(*block));
	s->block = *block;
	return 1;
}

/* A number for this memory of this process; exec and fork give another one. */
static __always_inline __u64 space_id(struct task_struct *task, __u64 memory)
{
	__u64 id = mix(mix(memory, task->self_exec_id), (__u64)task->tgid);

	return id ? id : 1;
}

/* The start of every user part: reads registers and memory, and puts the space into the record. */
static __always_inline int find_memory(struct scratch *s, struct task_struct *task)
{
	__u64 memory = 0;

	bpf_probe_read_kernel(&memory, sizeof(memory), &task->mm);
	if (!memory)
		return 0;
	s->record.space = space_id(task, memory);
	s->stack_top = BPF_CORE_READ((struct mm_struct *)memory, start_stack);
	return 1;
}

/* Walks from s->registers on. */
static __always_inline void walk_user_stack(struct scratch *s, int by_loop)
{
	if (!find_space(s, s->record.space)) {
		s->stale = 1;
		s->end = UNWIND_END_STALE;
		return;
	}
	s->record.generation = s->space.generation;
	s->hash = mix(s->hash, s->space.generation);
	unwind_begin(&s->frame, &s->registers, STACK_ARM64);
	walk(by_loop);
}

static __always_inline void scratch_clear(struct scratch *s)
{
	__builtin_memset(&s->record, 0, sizeof(s->record));
	s->mapping.start = s->mapping.end = 0;
	s->hash = 0;
	s->kernel_count = s->user_count = s->stale = 0;
}

/* Copies a piece of the stack, up to @end or the end of the page; 0: no more. The position is kept
 * in the record, because the verifier would follow every value of a variable. */
static __always_inline int copy_piece(struct scratch *s, __u32 words, __u64 end)
{
	__u64 copied = s->record.stack_size & (STACK_DUMP_MAX - 1);
	__u64 at = s->record.stack_address + copied;
	__u64 piece = PIECE_BYTES - (at & (PIECE_BYTES - 1)), left = end - at;
	__u64 smaller = not_above(left, piece);

	piece = (left & smaller) | (piece & ~smaller);
	HIDE_BOUNDS(piece);
	if (at >= end || s->record.stack_size >= STACK_DUMP_MAX || piece > PIECE_BYTES)
		return 0;
	if (bpf_probe_read_user((char *)s->tail + words * 8 + copied, piece, (const void *)at) ==
	    0) {
		s->record.stack_size += (__u32)piece;
		return 1;
	}
	if (copied) {
		s->record.flags = 0;
		return 0;
	}
	s->record.stack_address += piece;
	return 1;
}

/* Adds registers and stack after the addresses; returns the words in use. The main thread's stack
 * ends at the program's arguments; the environment above them has no frames. Missing pages at the
 * start are skipped: the stack may be growing into them. */
static __always_inline __u32 take_dump(struct scratch *s, __u32 words)
{
	__u64 from = (s->registers.values[STACK_ARM64 ? UNWIND_ARM64_SP : UNWIND_X86_SP] & ~7ULL) -
		     RED_ZONE;
	const __u64 *registers = (const __u64 *)&s->registers;
	__u64 end = from + dump_bytes, top = s->stack_top + sizeof(__u64);

	for (__u32 i = 0; i < REGISTER_WORDS; i++)
		s->tail[(words + i) & (HEAD_WORDS - 1)] = registers[i];
	words = (words + REGISTER_WORDS) & (HEAD_WORDS - 1);
	s->record.flags = STACK_FLAG_CUT;
	s->record.stack_address = from;
	s->record.stack_size = 0;
	if (top > from && top <= end) {
		end = top;
		s->record.flags = 0;
	}
	/* Unrolled, because Linux 6.1 rejects a loop whose end clang puts before its start. */
#pragma unroll
	for (int i = 0; i < PIECES; i++) {
		if (!copy_piece(s, words, end))
			break;
	}
	return words + s->record.stack_size / 8;
}

/* Puts the counts into the record. Returns its size from RECORD_SKIP on, including @words words
 * after it; 0 if there are too many. */
static __always_inline __u64 finish_record(struct scratch *s, __u32 words)
{
	__u64 size = sizeof(s->record) - RECORD_SKIP + (__u64)words * 8;

	s->record.kernel_count = (__u16)s->kernel_count;
	s->record.user_count = (__u16)s->user_count;
	s->record.end = (__u8)s->end;
	return size <= sizeof(s->record) - RECORD_SKIP + TAIL_WORDS * 8 ? size : 0;
}

#endif
