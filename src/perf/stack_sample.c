/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/stack_sample.h"

#include <string.h>

#include "base/reader.h"
#include "bpf/stack_wire.h"

enum { NO_FORM = -1 };

static const enum stack_end ends[UNWIND_END_COUNT] = {
#define ROW(id) [UNWIND_END_##id] = STACK_##id,
	UNWIND_ENDS(ROW)
#undef ROW
};

static const enum user_stack_form forms[] = {
	[STACK_FORM_NONE] = USER_STACK_NONE,
	[STACK_FORM_KNOWN] = USER_STACK_KNOWN,
	[STACK_FORM_ADDRESSES] = USER_STACK_ADDRESSES,
	[STACK_FORM_DUMP] = USER_STACK_DUMP,
};

static const enum context contexts[] = {
	[STACK_CONTEXT_TASK] = CONTEXT_TASK,
	[STACK_CONTEXT_SOFTIRQ] = CONTEXT_SOFTIRQ,
	[STACK_CONTEXT_HARDIRQ] = CONTEXT_HARDIRQ,
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static enum context context_of(uint8_t context)
{
	return context < COUNT_OF(contexts) ? contexts[context] : CONTEXT_COUNT;
}

/* The variable parts after the fixed one. */
static void read_parts(struct reader *reader, const struct stack_record *fixed,
		       struct perf_sample *sample)
{
	struct user_stack *user = &sample->user_stack;

	sample->chain_length = fixed->kernel_count;
	sample->chain = reader_bytes(reader, fixed->kernel_count * sizeof(uint64_t));
	user->count = fixed->user_count;
	user->addresses = reader_bytes(reader, fixed->user_count * sizeof(uint64_t));
	if (user->form != USER_STACK_DUMP)
		return;
	user->registers = reader_bytes(reader, sizeof(*user->registers));
	user->stack = reader_bytes(reader, fixed->stack_size);
	user->stack_size = fixed->stack_size;
	user->stack_address = fixed->stack_address;
	user->stack_cut = fixed->flags & STACK_FLAG_CUT;
}

bool stack_sample_read(struct perf_record *record)
{
	/* The kernel's own size field precedes the record, so that the rest is aligned:
	 * bpf/stack_wire.h. */
	struct reader reader = reader_make(record->sample.raw, record->sample.raw_size);
	struct perf_sample sample = record->sample;
	struct stack_record fixed = { 0 };
	const size_t rest = sizeof(fixed) - sizeof(fixed.raw_size);
	const void *bytes = reader_bytes(&reader, rest);

	if (!bytes)
		return false;
	memcpy(&fixed.form, bytes, rest);
	if (fixed.form >= COUNT_OF(forms) || fixed.end == UNWIND_MORE ||
	    fixed.end >= UNWIND_END_COUNT)
		return false;
	sample.period = fixed.period;
	sample.context = context_of(fixed.context);
	sample.user_stack = (struct user_stack){ .form = forms[fixed.form],
						 .end = ends[fixed.end],
						 .hash = fixed.hash,
						 .space = fixed.space,
						 .generation = fixed.generation };
	read_parts(&reader, &fixed, &sample);
	if (reader.bad)
		return false;
	record->id = fixed.event;
	record->sample = sample;
	return true;
}
