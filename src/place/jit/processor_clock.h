/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts the processor's time counter (TSC, CNTVCT) to CLOCK_MONOTONIC, for programs that use it
 * for timestamps.
 */
#ifndef PLACE_JIT_PROCESSOR_CLOCK_H
#define PLACE_JIT_PROCESSOR_CLOCK_H

#include <stdint.h>

struct processor_clock {
	uint64_t ticks, ns; /* both at one moment */
};

/* Both clocks now. */
struct processor_clock processor_clock_now(void);
/* The time of @ticks, computed from how far both clocks advanced since @first (at least a few
 * milliseconds ago: the error is about a millionth of the distance for each). 0: this processor's
 * counter is not supported. */
uint64_t processor_clock_ns(const struct processor_clock *first, uint64_t ticks);

#endif
