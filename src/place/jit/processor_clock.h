/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processor's own counter of time (TSC, CNTVCT) against CLOCK_MONOTONIC, for programs that
 * stamp what they tell with it.
 */
#ifndef PLACE_JIT_PROCESSOR_CLOCK_H
#define PLACE_JIT_PROCESSOR_CLOCK_H

#include <stdint.h>

struct processor_clock {
	uint64_t ticks, ns; /* at one moment, the first */
};

/* Both clocks now. */
struct processor_clock processor_clock_now(void);
/* The time that @ticks stands for, told from the course of both clocks since @first (at least a few
 * milliseconds ago: the error is about a millionth of the distance for each). 0: this processor's
 * counter is not known. */
uint64_t processor_clock_ns(const struct processor_clock *first, uint64_t ticks);

#endif
