/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/go_entry.h"

enum {
	MOST_ASKING = 12, /* instructions; large frames take seven, with two branches */
	/* From where the branch leads: arguments are saved, and loaded again. */
	MOST_GROWING = 128,
};

/* Is what begins at an address where the stack grows: does it end by a jump to @start? */
static bool grows(const struct code_blocks *blocks, uint64_t address, uint64_t start)
{
	const struct code_step *steps = blocks->steps.items, *end = steps + blocks->steps.count;
	const struct code_step *step = code_blocks_step(blocks, address);

	for (int i = 0; step && step < end && i < MOST_GROWING; i++, step++) {
		if (step->flow.kind == CODE_FLOW_JUMP)
			return step->flow.target == start;
		if (step->flow.kind != CODE_FLOW_NEXT)
			return false;
	}
	return false;
}

bool go_entry_find(const struct code_blocks *blocks, uint64_t start, uint64_t *ret_entry)
{
	uint64_t growing = 0; /* where all of the question's branches lead */
	bool found = false;

	for (size_t i = 0; i < blocks->steps.count && i < MOST_ASKING; i++) {
		const struct code_step *step = &blocks->steps.items[i];
		const struct code_flow *flow = &step->flow;

		if (flow->kind == CODE_FLOW_NEXT)
			continue;
		/* A branch of the function itself may lead to a call that does not return, right
		 * before where the stack grows. */
		if (flow->kind != CODE_FLOW_BRANCH || flow->target <= start ||
		    (found && flow->target != growing) || !grows(blocks, flow->target, start))
			break;
		growing = flow->target;
		*ret_entry = step->address + step->length;
		found = true;
	}
	return found;
}
