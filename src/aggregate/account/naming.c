/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/account/naming.h"

struct naming naming_of(const struct profile *profile, const struct total *totals, size_t count,
			uint8_t event)
{
	struct naming naming = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct total *total = &totals[i];
		const struct stack_node *node = &profile->stacks.items[total->stack];
		const struct frame *frame = &profile->frames.items[node->frame];
		enum symbol_kind kind = profile->symbols.items[frame->symbol].kind;

		if (total->event != event)
			continue;
		naming.whole += total->weight;
		naming.unresolved += kind == SYMBOL_NONE ? total->weight : 0;
		naming.bracketed += kind == SYMBOL_BRACKET ? total->weight : 0;
	}
	return naming;
}
