/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognises samples that stand for code with interrupts off. A clock that is an ordinary interrupt
 * waits until interrupts are enabled, so such a sample stands right after the instruction that
 * enables them. That instruction is read from the kernel as it runs; the names of functions
 * (KERNEL_MARK_ENABLES, KERNEL_MARK_UNLOCKS) decide where no instruction shows it, or where the
 * code or its decoder is not available.
 */
#ifndef ATTRIBUTE_INTERRUPTS_ON_H
#define ATTRIBUTE_INTERRUPTS_ON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attribute/frames.h"

struct interrupts_on;

/* Where the kernel's code is read. */
struct kernel_bytes {
	/* All or nothing; negative: not readable there. NULL: the running kernel, opened when first
	 * needed. */
	int (*read)(void *context, uint64_t address, void *bytes, size_t size);
	void *context;
};

/* @frames is borrowed. */
struct interrupts_on *interrupts_on_new(const struct frames *frames,
					const struct kernel_bytes *bytes);
void interrupts_on_free(struct interrupts_on *on); /* NULL is fine */

/* True if the events' clock waits for interrupts to be enabled. */
bool interrupts_on_delay(enum clock_kind clock);
/* The stack to store for a sample of such a clock in kernel mode: @stack itself, or one whose
 * innermost frame is FRAME_ENABLES. */
uint32_t interrupts_on_stack(struct interrupts_on *on, uint32_t stack);

#endif
