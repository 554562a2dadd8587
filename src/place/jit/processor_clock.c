/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/processor_clock.h"

#include "base/clock.h"

static uint64_t counter(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}

struct processor_clock processor_clock_now(void)
{
	uint64_t ns = clock_ns();

	return (struct processor_clock){ .ticks = counter(), .ns = ns };
}

uint64_t processor_clock_ns(const struct processor_clock *first, uint64_t ticks)
{
	struct processor_clock now = processor_clock_now();
	double rate, ns;

	if (now.ticks <= first->ticks || now.ns <= first->ns)
		return 0;
	rate = (double)(now.ns - first->ns) / (double)(now.ticks - first->ticks);
	ns = (double)first->ns + ((double)ticks - (double)first->ticks) * rate;
	return ns > 0 ? (uint64_t)ns : 0;
}
