/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples as the stack program writes them (bpf/stack_wire.h), and what a source makes of them. */
#ifndef TESTS_UNIT_ATTRIBUTE_RAW_STACK_H
#define TESTS_UNIT_ATTRIBUTE_RAW_STACK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attribute/record_stream.h"
#include "perf/stack_sample.h"
#include "perf/user_stack.h"

enum { RAW_STACK_ID = STREAM_RAW_IDS };

struct raw_stack {
	struct stack_record fixed;
	uint64_t kernel[8], user[8];
	struct unwind_registers registers; /* of a DUMP */
	const void *stack;
};

/* @stamp->id is that of the event that ticked. */
static inline void stream_stack(struct record_stream *stream, const struct stamp *stamp,
				uint16_t misc, const struct raw_stack *raw)
{
	struct stamp output = *stamp;
	struct stack_record fixed = raw->fixed;
	char bytes[4096];
	size_t size = sizeof(fixed);

	output.id = RAW_STACK_ID;
	fixed.event = stamp->id;
	memcpy(bytes, &fixed, sizeof(fixed));
	memcpy(bytes + size, raw->kernel, fixed.kernel_count * sizeof(uint64_t));
	size += fixed.kernel_count * sizeof(uint64_t);
	memcpy(bytes + size, raw->user, fixed.user_count * sizeof(uint64_t));
	size += fixed.user_count * sizeof(uint64_t);
	if (fixed.form == STACK_FORM_DUMP) {
		memcpy(bytes + size, &raw->registers, sizeof(raw->registers));
		size += sizeof(raw->registers);
		memcpy(bytes + size, raw->stack, fixed.stack_size);
		size += fixed.stack_size;
	}
	assert_true(size <= sizeof(bytes));
	stream_raw(stream, &output, misc,
		   misc == PERF_RECORD_MISC_USER ? raw->user[0] : raw->kernel[0], bytes, size);
}

/* As sampler_drain hands records out. */
static inline struct perf_record converted(const struct perf_record *record)
{
	struct perf_record sample = *record;

	if (record->type == PERF_RECORD_SAMPLE && record->id == RAW_STACK_ID)
		assert_true(stack_sample_read(&sample));
	return sample;
}

#endif
