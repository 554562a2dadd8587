/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares stacks while they are recorded: as the interrupt found them, and as libdwfl does from
 * the registers and the copy of the stack that came with the same sample.
 */
#ifndef PIPELINE_STACK_CHECK_H
#define PIPELINE_STACK_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "collect/perf_record.h"
#include "model/stack_check.h"
#include "pipeline/frames.h"
#include "pipeline/image_code.h"

struct stack_check;

/* As many as were wanted. */
bool stack_check_full(const struct stack_check *check);

struct image_files;

/* A user stack as it was walked: addresses as in struct user_stack. */
struct checked_stack {
	const uint64_t *addresses; /* borrowed */
	size_t count;
	enum stack_end end;
};

/* A sample of the form USER_STACK_DUMP, and its stack. What is mapped is taken from the machine,
 * and files from where they are held. */
void stack_check_take(struct stack_check *check, const struct frames *frames,
		      struct image_codes *codes, struct image_files *files,
		      const struct perf_record *record, const struct checked_stack *walked);

/* Records the command (NULL-terminated) and compares at most @most of its and the machine's
 * stacks; *ret_counts is the caller's: stack_check_counts_done. -ENOTSUP and why, when stacks are
 * not walked in the interrupt here. */
int stack_check_run(char *const *argv, double rate_hz, uint64_t most,
		    struct stack_check_counts *ret_counts, struct err *err);

#endif
