/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the test programs share: work of a known amount, and clocks to say what it took. */
#ifndef SPIN_H
#define SPIN_H

#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))

static inline uint64_t spin_clock_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A loop that stays in the function it is used in. */
#define SPIN(rounds)                                                 \
	do {                                                         \
		for (uint64_t _i = 0; _i < (uint64_t)(rounds); _i++) \
			__asm__ volatile("" ::: "memory");           \
	} while (0)

/* Rounds of SPIN that take about a microsecond of processor time. */
static inline uint64_t spin_rounds_per_us(void)
{
	uint64_t start_ns = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	SPIN(2000000);
	return 2000000 * 1000 / (spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns + 1) + 1;
}

/* The time stamp counter, or what serves as one: readable without leaving the function. */
static inline uint64_t spin_counter(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
#else
	return spin_clock_ns(CLOCK_MONOTONIC);
#endif
}

/* "rusage USER_S SYSTEM_S", of RUSAGE_SELF or RUSAGE_CHILDREN. */
static inline void spin_print_rusage(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	printf("rusage %ld.%06ld %ld.%06ld\n", (long)usage.ru_utime.tv_sec,
	       (long)usage.ru_utime.tv_usec, (long)usage.ru_stime.tv_sec,
	       (long)usage.ru_stime.tv_usec);
}

#endif
