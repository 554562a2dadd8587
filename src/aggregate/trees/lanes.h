/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that a view over time shows one by one: those with the most samples. */
#ifndef AGGREGATE_TREES_LANES_H
#define AGGREGATE_TREES_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum { LANES_MAX = 256 };

struct lanes {
	VEC(uint32_t) tasks; /* of the profile, by lane; [0]: 0, for all that have no lane */
	uint8_t *of_task;    /* lane by task */
	uint64_t *samples;   /* by task; private, as is the next one */
	size_t task_count;
};

/* @task_count: the number of tasks of the profile. */
void lanes_init(struct lanes *lanes, size_t task_count);
void lanes_done(struct lanes *lanes);
void lanes_add(struct lanes *lanes, uint32_t task, uint64_t samples);
/* Call it after the last lanes_add: gives each of the busiest tasks its lane, the busiest the
 * first. */
void lanes_choose(struct lanes *lanes);

#endif
