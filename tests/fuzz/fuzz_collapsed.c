/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collapsed stacks. */
#include <stdlib.h>
#include <string.h>

#include "import/collapsed.h"
#include "target.h"
#include "text_input.h"

static volatile size_t sink;

static int take_stack(void *context, const struct collapsed_stack *stack)
{
	if (stack->frame_count > COLLAPSED_MAX_FRAMES || stack->count == 0)
		abort();
	sink += stack->comm ? strlen(stack->comm) : 0;
	for (size_t i = 0; i < stack->frame_count; i++)
		sink += strlen(stack->frames[i].name);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct perf_data_input input;
	struct collapsed_facts facts;

	collapsed_is(bytes, size);
	text_input_begin(&input, bytes, size);
	if (collapsed_read(&input, take_stack, NULL, &facts) != 0)
		abort();
	perf_data_input_done(&input);
	return 0;
}
