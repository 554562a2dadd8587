/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* What a call returned, what of that is an error, and the histograms of values and of times. */
#ifndef BPF_PROBE_VALUES_BPF_H
#define BPF_PROBE_VALUES_BPF_H

#include "bpf/probe_condition.bpf.h"
#include "bpf/probe_threads.bpf.h"
#include "bpf/probe_wire.h"

#define LEAST_ERROR (-4095)

static __always_inline bool is_negative_errno(__s64 value)
{
	return value < 0 && value >= LEAST_ERROR;
}

/* The number in the register, whose upper bits are anything where its type is narrower. */
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

/* Of @times calls whose value was read. */
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
