/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which routines of the kernel tell in which context a stack runs. */
#ifndef PLACE_KERNEL_KERNEL_MARKS_H
#define PLACE_KERNEL_KERNEL_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/words.h"

enum kernel_mark {
	KERNEL_MARK_NONE,
	KERNEL_MARK_IDLE, /* where a processor with nothing to do waits: a matter of the innermost
			     frame only, for what an idle processor does beyond waiting is called
			     from the same loop */
	KERNEL_MARK_SOFTIRQ, /* __do_softirq, handle_softirqs */
	KERNEL_MARK_HARDIRQ, /* interrupt entries and dispatchers, not exceptions or system calls */
	KERNEL_MARK_TASK,    /* work done for the task on the way out of an interrupt */
	KERNEL_MARK_EXEC,    /* exec, when the old program's memory is or may be gone: says nothing
				of the context */
};

/* Marked ranges of addresses. Zero-initialised is empty. */
struct kernel_marks {
	VEC(struct kernel_marked) ranges;
};

struct kernel_marked {
	uint64_t start, end;
	enum kernel_mark mark;
};

/* What a function's name means; a suffix of the compiler's (".cold", ".isra.0") changes nothing. */
enum kernel_mark kernel_marks_by_name(const char *name);

/* Adds a function; in ascending order of addresses, without overlaps. NONE is ignored. */
void kernel_marks_add(struct kernel_marks *marks, uint64_t start, uint64_t end,
		      enum kernel_mark mark);
enum kernel_mark kernel_marks_at(const struct kernel_marks *marks, uint64_t address);
/* A stack, innermost address first: where it runs. The rule is explained in kernel_marks.c. */
enum context kernel_marks_context(const struct kernel_marks *marks, const uint64_t *addresses,
				  size_t count);
void kernel_marks_done(struct kernel_marks *marks);

#endif
