/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* What a call returned, whether that is an error, and the histograms of values and times. */
#ifndef BPF_PROBE_VALUES_BPF_H
#define BPF_PROBE_VALUES_BPF_H

#include "bpf/probe_condition.bpf.h"
#include "bpf/probe_sites.bpf.h"
#include "bpf/probe_threads.bpf.h"
#include "bpf/probe_wire.h"

#define LEAST_ERROR (-4095)

static __always_inline bool is_negative_errno(__s64 value)
{
	return value < 0 && value >= LEAST_ERROR;
}

/* The number in the register. If its type is narrower, the upper bits are undefined. */
static __always_inline void read_value(struct probe_call *call)
{
	__u32 word = call->cookie >> PROBE_COOKIE_RETURNS_SHIFT & PROBE_COOKIE_RETURNS_MASK;
	__u32 bits = (word >> PROBE_COOKIE_BYTES_SHIFT) * 8;
	__s32 narrow = (__s32)call->value;

	call->returns = word & PROBE_COOKIE_KIND_MASK;
	call->returned = (__s64)call->value;
	if (call->returns == PROBE_WIRE_SIGNED || call->returns == PROBE_WIRE_UNSIGNED)
		call->returned =
			(__s64)widen(call->value, bits, call->returns == PROBE_WIRE_SIGNED);
	else if (call->returns == PROBE_WIRE_UNKNOWN && call->value >> 32 == 0 &&
		 is_negative_errno(narrow))
		call->returned = narrow;
}

static __always_inline bool is_error(const struct probe_call *call)
{
	switch (call->returns) {
	case PROBE_WIRE_SIGNED:
	case PROBE_WIRE_UNKNOWN:
		return is_negative_errno(call->returned);
	case PROBE_WIRE_POINTER:
		return !call->returned || is_negative_errno(call->returned);
	default:
		return false;
	}
}

/* ---- start functions of threads ---- */

enum {
	LIBRARY_NAME = 8, /* bytes of a file name that are compared */
	NO_ANSWER = -16,  /* EBUSY */
	TIMES_ASKED = 4096,
	MOST_JUMPS = 4, /* jumps between functions that are followed */
};

const volatile struct probe_start_code start_codes[PROBE_WIRE_STARTS] = {};

struct caller_search {
	struct site_search site;
	char name[LIBRARY_NAME]; /* of the caller's file */
};

static long take_caller(struct task_struct *task, struct vm_area_struct *vma,
			struct caller_search *search)
{
	struct file *file = vma->vm_file;

	take_site(task, vma, &search->site);
	if (file)
		bpf_probe_read_kernel(search->name, sizeof(search->name),
				      file->f_path.dentry->d_name.name);
	return 0;
}

static __always_inline bool begins_with(const char *name, const char *wanted, __u32 length)
{
	for (__u32 i = 0; i < length; i++) {
		if (name[i] != wanted[i])
			return false;
	}
	return true;
}

/* libc.so.6, libc-2.31.so, libc.musl-x86_64.so.1; libpthread.so.0 until glibc 2.34; ld-musl-x86_64
 * .so.1. */
static __always_inline bool is_c_library(const char *name)
{
	return begins_with(name, "libc.", 5) || begins_with(name, "libc-", 5) ||
	       begins_with(name, "libpthr", 7) || begins_with(name, "ld-musl", 7);
}

/* True for the place where a static program calls the start function of its threads. */
static __always_inline bool is_start_code(const struct probe_site_key *key)
{
	for (__u32 i = 0; i < PROBE_WIRE_STARTS; i++) {
		const volatile struct probe_start_code *code = &start_codes[i];

		if (key->inode && key->inode == code->inode && key->device == code->device &&
		    key->offset > code->start && key->offset <= code->end)
			return true;
	}
	return false;
}

/* There is no answer while another thread changes the process's mappings, which takes microseconds.
 */
static long find_caller(__u32 number, struct caller_search *search)
{
	(void)number;
	return bpf_find_vma(bpf_get_current_task_btf(), search->site.address, take_caller, search,
			    0) != NO_ANSWER;
}

/*
 * True if the C library made the call that returns to @from. The only other functions returning a
 * pointer that it calls are allocators, and those are not of kind PROBE_WIRE_START.
 *
 * Global, so that the verifier checks it once and not for each path that leads here, which fails
 * with the paths through conditions and values (-E2BIG).
 */
__noinline int is_threads_start(__u64 from)
{
	struct caller_search search = { .site.address = from };
	struct task_struct *task = bpf_get_current_task_btf();

	if (task->pid == task->tgid)
		return false;
	bpf_loop(TIMES_ASKED, find_caller, &search, 0);
	return is_c_library(search.name) || is_start_code(&search.site.key);
}

/* The real return address of the frame's call. A function that was reached by a jump finds the
 * kernel's return trampoline in its place; then the frame of the jumping function has it. */
static __always_inline __u64 true_from(struct probe_thread *thread, __u32 index)
{
	const struct probe_frame *frame = frame_at(thread, index);
	__u64 sp = frame->sp, from = frame->from;

	for (__u32 i = 1; i <= MOST_JUMPS && i <= index; i++) {
		frame = frame_at(thread, index - i);
		if (frame->sp != sp)
			break;
		from = frame->from;
	}
	return from;
}

/* For a call of a program whose value was read. */
static __always_inline void settle_start(struct probe_thread *thread, __u32 index,
					 struct probe_call *call)
{
	if (call->returns != PROBE_WIRE_START)
		return;
	call->returns = PROBE_WIRE_POINTER;
	if (!call->returned && is_threads_start(true_from(thread, index)))
		call->returns = PROBE_WIRE_UNSIGNED;
}

/* Counts the value of @times calls. */
static __always_inline void count_value(const struct probe_call *call, __u32 row,
					struct probe_slot *slot, __u32 times)
{
	__u32 index = bpf_get_smp_processor_id() * row_limit + row, bucket;
	struct probe_values *found;

	if (call->returns == PROBE_WIRE_NOTHING)
		return;
	if (todo & PROBE_ERROR_IF ? holds(call, &error_steps) : is_error(call))
		ADD(slot->errors, times);
	if (!(todo & PROBE_DO_VALUES))
		return;
	found = bpf_map_lookup_elem(&values, &index);
	bucket = probe_value_bucket(call->returned);
	if (found && bucket < PROBE_VALUE_BUCKETS)
		ADD(found->buckets[bucket], times);
}

static __always_inline void count_latency(__u32 row, __u64 took_ns)
{
	__u32 index = bpf_get_smp_processor_id() * row_limit + row, bucket;
	struct probe_latency *found;

	if (!(todo & PROBE_DO_LATENCY))
		return;
	found = bpf_map_lookup_elem(&latencies, &index);
	bucket = probe_latency_bucket(took_ns);
	if (found && bucket < PROBE_LATENCY_BUCKETS)
		ADD(found->buckets[bucket], 1);
}

#endif
