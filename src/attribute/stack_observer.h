/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Observes user stacks during a recording. The recorder knows nothing else about the observer:
 * `check --stacks` compares each stack with libdwfl's (check/stack_check.h).
 */
#ifndef ATTRIBUTE_STACK_OBSERVER_H
#define ATTRIBUTE_STACK_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attribute/frames.h"
#include "attribute/image_code.h"
#include "perf/perf_record.h"

struct image_files;

/* A user stack as walked; addresses as in struct user_stack. */
struct observed_stack {
	const struct machine_space *space; /* of its process, current; borrowed */
	const uint64_t *addresses;	   /* borrowed */
	size_t count;
	enum stack_end end;
};

struct stack_observer {
	/* Called for each sample with a copy of its user stack, with the walked stack. Everything
	 * is borrowed for the call. */
	void (*see)(void *context, const struct frames *frames, struct image_codes *codes,
		    struct image_files *files, const struct perf_record *record,
		    const struct observed_stack *walked);
	/* True: the recording may end. */
	bool (*has_enough)(const void *context);
	void *context;
};

#endif
