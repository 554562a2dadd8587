/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Which waits are recorded, and what a recorded one stands for: threshold sampling (N. Duffield,
 * C. Lund, M. Thorup, "Learn more, sample less: control of volume and variance in network
 * measurement", IEEE Trans. Inf. Theory 51(5), 2005). With a threshold z, a wait of d ns is kept
 * with probability p = min(1, d / z) and weighs d / p = max(d, z) ns: sums over any set of waits
 * are unbiased, and what is long is always there.
 *
 * The coin is thrown before the wait: a draw, uniform in [0, z). The wait is kept if it lasts
 * longer than that, which has just this probability. So a low draw says beforehand that the wait
 * will be kept, unless it is even shorter; that is when the user stack is worth taking, which only
 * the thread itself can show, as it leaves.
 *
 * The threshold follows the pace of what is recorded, so that the cost is bounded. It depends on
 * the past alone and is fixed before the wait, with the draw: that keeps the sums unbiased.
 *
 * Compiled for the kernel and for user space.
 */
#ifndef BPF_OFF_CPU_DRAW_H
#define BPF_OFF_CPU_DRAW_H

#include <linux/types.h>

enum {
	/* Stacks and records of one CPU in one period: of what was asked for, of the rest. */
	OFF_CPU_BUDGET = 15,
	OFF_CPU_BUDGET_OTHERS = 5,
	OFF_CPU_PERIOD_NS = 10 * 1000 * 1000, /* of a CPU on a machine with few */
	/* What a wait may last of which nothing is known. No more: the stacks of threads that live
	 * shortly have to become fewer as well when the threshold rises. */
	OFF_CPU_FIRST_EXPECTED_NS = 10 * 1000 * 1000,
	OFF_CPU_FIRST_STEP_NS = 1000, /* where a threshold begins that has to rise */
};

/* Keeps draw * 2^32 within 64 bits. A wait that lasts longer is kept in any case. */
#define OFF_CPU_MAX_THRESHOLD_NS (1ULL << 31)

/* A CPU's threshold, and what was spent since it was last looked at. */
struct off_cpu_pace {
	__u64 threshold_ns; /* 0 is 1: everything is kept */
	__u64 since_ns;
	__u32 spent;
	__u32 zero;
};

/* The next 32 of a row of random bits: xorshift64*, S. Vigna, "An experimental exploration of
 * Marsaglia's xorshift generators, scrambled", ACM Trans. Math. Softw. 42(4), 2016. */
static inline __u32 off_cpu_random(__u64 *state)
{
	__u64 bits = *state ? *state : 0x9e3779b97f4a7c15ULL;

	bits ^= bits >> 12;
	bits ^= bits << 25;
	bits ^= bits >> 27;
	*state = bits;
	return (__u32)(bits * 0x2545f4914f6cdd1dULL >> 32);
}

/* Uniform in [0, threshold), from 32 random bits. */
static inline __u64 off_cpu_draw(__u32 random, __u64 threshold_ns)
{
	return random * threshold_ns >> 32;
}

static inline int off_cpu_kept(__u64 draw_ns, __u64 duration_ns)
{
	return duration_ns > draw_ns;
}

/* Of a wait that was kept. */
static inline __u64 off_cpu_weight(__u64 threshold_ns, __u64 duration_ns)
{
	return duration_ns > threshold_ns ? duration_ns : threshold_ns;
}

/* What a thread's next wait may last, judged by its last ones: the longest lately, forgotten by
 * half with each shorter one. Only the choice of stacks depends on it, no weight. */
static inline __u64 off_cpu_expect(__u64 expected_ns, __u64 duration_ns)
{
	return duration_ns > expected_ns / 2 ? duration_ns : expected_ns / 2;
}

/* Before a draw: after a period in which little was spent the threshold sinks by half, for each
 * further period without any by half again. */
static inline __u64 off_cpu_pace_look(struct off_cpu_pace *pace, __u64 now_ns, __u64 period_ns,
				      __u32 budget)
{
	__u64 since_ns = now_ns - pace->since_ns;

	if (since_ns >= period_ns) {
		if (pace->spent < budget / 2)
			pace->threshold_ns >>= since_ns >= 32 * period_ns ? 31 : 1;
		pace->spent = 0;
		pace->since_ns = now_ns;
	}
	return pace->threshold_ns ? pace->threshold_ns : 1;
}

/* After a stack or a record: when the budget is used up before the period is over, the threshold
 * doubles and a new one begins. */
static inline void off_cpu_pace_spend(struct off_cpu_pace *pace, __u64 now_ns, __u32 units,
				      __u32 budget)
{
	pace->spent += units;
	if (pace->spent <= budget)
		return;
	pace->threshold_ns *= 2;
	if (pace->threshold_ns < OFF_CPU_FIRST_STEP_NS)
		pace->threshold_ns = OFF_CPU_FIRST_STEP_NS;
	if (pace->threshold_ns > OFF_CPU_MAX_THRESHOLD_NS)
		pace->threshold_ns = OFF_CPU_MAX_THRESHOLD_NS;
	pace->spent = 0;
	pace->since_ns = now_ns;
}

#endif
