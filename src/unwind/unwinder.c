/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/unwinder.h"

#include <elf.h>
#include <string.h>

#include "unwind/row_table.h"

/* A copy of a stack. Reads beyond the end of a truncated copy are noted; other addresses were never
 * part of it. */
struct copied_memory {
	uint64_t start;
	const uint8_t *bytes;
	size_t size;
	bool cut;
	bool *beyond;
	const struct unwind_input *input;
};

static inline int read_copy(const void *memory, __u64 address, void *to, __u32 size)
{
	const struct copied_memory *copy = memory;
	uint64_t offset = address - copy->start;

	if (address < copy->start || offset > copy->size || copy->size - offset < size) {
		if (copy->cut && address >= copy->start)
			*copy->beyond = true;
		return -1;
	}
	memcpy(to, copy->bytes + offset, size);
	return 0;
}

static inline int read_code(const void *memory, __u64 address, void *to, __u32 size)
{
	const struct unwind_input *input = ((const struct copied_memory *)memory)->input;

	return input->read_code ? input->read_code(input->context, address, to, size) : -1;
}

#define UNWIND_READ	 read_copy
#define UNWIND_READ_CODE read_code
#include "bpf/unwind_step.h"

static const enum stack_end ends[UNWIND_END_COUNT] = {
#define ROW(id) [UNWIND_END_##id] = STACK_##id,
	UNWIND_ENDS(ROW)
#undef ROW
};

static enum stack_end stack_end_of(enum unwind_end end)
{
	return end < UNWIND_END_COUNT ? ends[end] : STACK_UNKNOWN;
}

uint64_t unwinder_entry_end(const struct unwind_table *table, uint64_t entry)
{
	enum { MOST = 256 }; /* bytes; the code sets up arguments and calls */
	uint64_t end = entry;

	while (end < entry + MOST && !(table && row_table_find(table, end)))
		end++;
	return end > entry ? end : 0;
}

static const struct unwind_rule *find_rule(const struct unwind_code *code,
					   const struct unwind_frame *frame)
{
	return code->table ? row_table_find(code->table, unwind_lookup_address(frame) - code->bias)
			   : NULL;
}

/* A frame's pc as stored. A signal handler's return address is exact: no call precedes it, the code
 * it returns to begins there. */
static uint64_t told_address(const struct unwind_frame *frame, const struct unwind_rule *rule,
			     bool innermost)
{
	bool exact = frame->exact || (rule && rule->flags & UNWIND_RULE_SIGNAL);

	return frame->pc | (exact && !innermost ? UNWIND_EXACT : 0);
}

static enum unwind_end step(struct unwind_frame *frame, const struct unwind_code *code,
			    const struct unwind_rule *rule, bool innermost,
			    const struct copied_memory *memory)
{
	bool arm64 = memory->input->machine == EM_AARCH64;
	struct unwind_place place = { .rule = rule,
				      .entry = code->entry,
				      .has_rows = code->table != NULL };
	struct unwind_scan scan;

	if (innermost && !rule && !arm64) {
		unwind_scan_begin(&scan, frame, memory);
		for (int i = 0; i < UNWIND_SCAN_STEPS; i++) {
			if (unwind_scan_step(&scan, memory) != UNWIND_SCAN_MORE)
				break;
		}
		place.scan = &scan;
	}
	return unwind_step(frame, &place, innermost ? memory->input->registers : NULL, memory,
			   arm64);
}

size_t unwinder_walk(const struct unwind_input *input, uint64_t *addresses, size_t max,
		     enum stack_end *ret_end)
{
	bool beyond = false;
	const struct copied_memory memory = { .start = input->stack_address,
					      .bytes = input->stack,
					      .size = input->stack_size,
					      .cut = input->stack_cut,
					      .beyond = &beyond,
					      .input = input };
	enum unwind_end end = UNWIND_MORE;
	struct unwind_frame frame;
	size_t count = 0;

	unwind_begin(&frame, input->registers, input->machine == EM_AARCH64);
	while (end == UNWIND_MORE) {
		struct unwind_code code =
			input->find(input->context, unwind_lookup_address(&frame));
		const struct unwind_rule *rule = find_rule(&code, &frame);
		bool innermost = count == 0;

		if (count == max) {
			end = UNWIND_END_TOO_DEEP;
			break;
		}
		if (code.mapped || innermost)
			addresses[count++] = told_address(&frame, rule, innermost);
		end = code.mapped ? step(&frame, &code, rule, innermost, &memory)
				  : unwind_nowhere(&frame);
	}
	end = unwind_finish(&frame, end);
	/* the copy never includes another stack */
	*ret_end = beyond && end != UNWIND_END_SWITCHED ? STACK_TOO_LARGE : stack_end_of(end);
	return count;
}
