/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/go_entry.h"

enum {
	MOST_ASKING = 12, /* instructions; large frames take seven, two of them branches */
	/* From the branch target on: arguments are saved and reloaded. */
	MOST_GROWING = 128,
};

/* True if the code at an address grows the stack: it ends with a jump to @start. */
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
	uint64_t growing = 0; /* the target of all branches of the check */
	bool found = false;

	for (size_t i = 0; i < blocks->steps.count && i < MOST_ASKING; i++) {
		const struct code_step *step = &blocks->steps.items[i];
		const struct code_flow *flow = &step->flow;

		if (flow->kind == CODE_FLOW_NEXT)
			continue;
		/* The function's own branch may lead to a call that does not return, directly
		 * before the code that grows the stack. */
		if (flow->kind != CODE_FLOW_BRANCH || flow->target <= start ||
		    (found && flow->target != growing) || !grows(blocks, flow->target, start))
			break;
		growing = flow->target;
		*ret_entry = step->address + step->length;
		found = true;
	}
	return found;
}
