/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/split.h"

void split_add(struct split *split, const struct total *total)
{
	struct hits *hits = &split->user;

	if (total->mode == MODE_KERNEL)
		hits = total->context == CONTEXT_TASK ? &split->system : &split->interrupts;
	hits_add(hits, &(struct hits){ total->samples, total->weight });
}

struct hits split_kernel(const struct split *split)
{
	return (struct hits){ split->system.samples + split->interrupts.samples,
			      split->system.weight + split->interrupts.weight };
}

struct hits split_sum(const struct split *split)
{
	struct hits kernel = split_kernel(split);

	return (struct hits){ split->user.samples + kernel.samples,
			      split->user.weight + kernel.weight };
}
