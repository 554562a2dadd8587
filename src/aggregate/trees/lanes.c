/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/trees/lanes.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/radix.h"
#include "base/xalloc.h"

void lanes_init(struct lanes *lanes, size_t task_count)
{
	*lanes = (struct lanes){ .of_task = xcalloc(task_count, sizeof(*lanes->of_task)),
				 .samples = xcalloc(task_count, sizeof(*lanes->samples)),
				 .task_count = task_count };
}

void lanes_done(struct lanes *lanes)
{
	vec_free(&lanes->tasks);
	free(lanes->of_task);
	free(lanes->samples);
}

void lanes_add(struct lanes *lanes, uint32_t task, uint64_t samples)
{
	lanes->samples[task] += samples;
}

void lanes_choose(struct lanes *lanes)
{
	_cleanup_free_ struct radix_item *order = xcalloc(lanes->task_count, sizeof(*order));
	size_t count = 0;

	for (size_t task = 1; task < lanes->task_count; task++) {
		if (lanes->samples[task])
			order[count++] = (struct radix_item){ UINT64_MAX - lanes->samples[task],
							      (uint32_t)task };
	}
	radix_sort(order, count);
	*vec_push(&lanes->tasks) = 0;
	for (size_t i = 0; i < count && lanes->tasks.count < LANES_MAX; i++) {
		lanes->of_task[order[i].id] = (uint8_t)lanes->tasks.count;
		*vec_push(&lanes->tasks) = order[i].id;
	}
}
