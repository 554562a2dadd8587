/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks at user stacks while they are recorded. The recorder knows no more of it: `check --stacks`
 * compares each stack with libdwfl's (check/stack_check.h).
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

/* A user stack as it was walked: addresses as in struct user_stack. */
struct observed_stack {
	const struct machine_space *space; /* of its process, as it is now; borrowed */
	const uint64_t *addresses;	   /* borrowed */
	size_t count;
	enum stack_end end;
};

struct stack_observer {
	/* A sample with a copy of its user stack, and the stack that was found. Everything is
	 * borrowed until it returns. */
	void (*see)(void *context, const struct frames *frames, struct image_codes *codes,
		    struct image_files *files, const struct perf_record *record,
		    const struct observed_stack *walked);
	/* True: the recording may end. */
	bool (*has_enough)(const void *context);
	void *context;
};

#endif
