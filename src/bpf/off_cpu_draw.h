/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Which waits are recorded, and the weight of a recorded wait: threshold sampling (N. Duffield, C.
 * Lund, M. Thorup, "Learn more, sample less: control of volume and variance in network
 * measurement", IEEE Trans. Inf. Theory 51(5), 2005). With a threshold z, a wait of d ns is kept
 * with probability p = min(1, d / z) and weighs d / p = max(d, z) ns. Sums over any set of waits
 * are unbiased, and long waits are always kept.
 *
 * The decision is drawn before the wait: a number uniform in [0, z). The wait is kept if it lasts
 * longer, which has exactly this probability. So a low draw says in advance that the wait will be
 * kept, unless it is even shorter. Then the user stack is worth taking, which only the thread
 * itself can do, when it leaves.
 *
 * The threshold follows the rate of recorded waits, which bounds the cost. It depends on the past
 * only and is fixed before the wait, together with the draw; so sums stay unbiased.
 *
 * Compiled for the kernel and for user space.
 */
#ifndef BPF_OFF_CPU_DRAW_H
#define BPF_OFF_CPU_DRAW_H

#include <linux/types.h>

enum {
	/* Stacks and records per CPU and period: of chosen processes, and of others. */
	OFF_CPU_BUDGET = 15,
	OFF_CPU_BUDGET_OTHERS = 5,
	OFF_CPU_PERIOD_NS = 10 * 1000 * 1000, /* per CPU on a small machine */
	/* The expected length of a thread's first wait. Not longer, because the stacks of
	 * short-lived threads must also become fewer when the threshold rises. */
	OFF_CPU_FIRST_EXPECTED_NS = 10 * 1000 * 1000,
	OFF_CPU_FIRST_STEP_NS = 1000, /* the first threshold when one must rise from 0 */
};

/* Keeps draw * 2^32 within 64 bits. Longer waits are always kept. */
#define OFF_CPU_MAX_THRESHOLD_NS (1ULL << 31)

/* A CPU's threshold, and the units spent since its last change. */
struct off_cpu_pace {
	__u64 threshold_ns; /* 0 means 1: everything is kept */
	__u64 since_ns;
	__u32 spent;
	__u32 zero;
};

/* The next 32 random bits: xorshift64*, S. Vigna, "An experimental exploration of Marsaglia's
 * xorshift generators, scrambled", ACM Trans. Math. Softw. 42(4), 2016. */
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

/* The weight of a wait that was kept. */
static inline __u64 off_cpu_weight(__u64 threshold_ns, __u64 duration_ns)
{
	return duration_ns > threshold_ns ? duration_ns : threshold_ns;
}

/* The expected length of a thread's next wait: the longest recent one, halved with each shorter
 * one. Only the choice of stacks depends on it, not the weights. */
static inline __u64 off_cpu_expect(__u64 expected_ns, __u64 duration_ns)
{
	return duration_ns > expected_ns / 2 ? duration_ns : expected_ns / 2;
}

/* Call before a draw: halves the threshold after a period in which little was spent, and again for
 * each further period without any. */
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

/* Call after a stack or a record: if the budget is used up before the period ends, doubles the
 * threshold and starts a new period. */
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
