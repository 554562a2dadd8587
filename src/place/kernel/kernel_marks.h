/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel functions that show in which context a stack runs, or what its thread waits for. */
#ifndef PLACE_KERNEL_KERNEL_MARKS_H
#define PLACE_KERNEL_KERNEL_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/words.h"

enum kernel_mark {
	KERNEL_MARK_NONE,
	KERNEL_MARK_IDLE,    /* the idle task's loop, and the known routines in which it waits */
	KERNEL_MARK_RESUMED, /* what that loop calls when it has something to do */
	KERNEL_MARK_SOFTIRQ, /* __do_softirq, handle_softirqs */
	KERNEL_MARK_HARDIRQ, /* interrupt entries and dispatchers, not exceptions or system calls */
	KERNEL_MARK_TASK,    /* work done for the task on return from an interrupt */
	/* These say nothing about the context: */
	KERNEL_MARK_EXEC,    /* exec, once the old program's memory is or may be gone */
	KERNEL_MARK_ENABLES, /* does nothing but enable interrupts */
	KERNEL_MARK_UNLOCKS, /* releases a lock and enables interrupts */
};

/* Whose section with interrupts off ends where a function enables them. */
enum kernel_section {
	KERNEL_SECTION_OWN,    /* its own: it turned them off, as far as is known */
	KERNEL_SECTION_CALLER, /* its caller's, whatever that is */
	KERNEL_SECTION_OUTER, /* one further out: that of its caller, if this says KERNEL_SECTION_OWN */
};

/* Marked ranges of addresses. Zero-initialised is empty. */
struct kernel_marks {
	VEC(struct kernel_marked) ranges;
};

struct kernel_marked {
	uint64_t start, end;
	enum kernel_mark mark;
};

/* The mark of a function's name; compiler suffixes (".cold", ".isra.0") are ignored. */
enum kernel_mark kernel_marks_by_name(const char *name);
/* By the name of the function, suffixes ignored. kernel_marks.c explains the rule. */
enum kernel_section kernel_marks_section(const char *name);
/* What a thread that waits in a function of this name waits for, suffixes ignored again.
 * WAIT_OTHER: the name does not say. Read a stack from the innermost function outward: the first
 * that says something decides. */
enum wait kernel_marks_wait(const char *name);

/* Adds a function. Calls must be in ascending order of addresses, without overlaps. NONE is
 * ignored. */
void kernel_marks_add(struct kernel_marks *marks, uint64_t start, uint64_t end,
		      enum kernel_mark mark);
enum kernel_mark kernel_marks_at(const struct kernel_marks *marks, uint64_t address);
/* The context of a stack, given innermost address first. kernel_marks.c explains the rule. */
enum context kernel_marks_context(const struct kernel_marks *marks, const uint64_t *addresses,
				  size_t count);
/* True if the idle task waits in this stack, whose context is CONTEXT_TASK. kernel_marks.c explains the
 * rule. */
bool kernel_marks_waits(const struct kernel_marks *marks, const uint64_t *addresses, size_t count);
void kernel_marks_done(struct kernel_marks *marks);

#endif
