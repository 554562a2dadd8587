/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The weight of a timer event's tick when its period keeps changing.
 *
 * PERF_EVENT_IOC_PERIOD restarts the event's timer: ticks then come at call + k * period. The time
 * between the last tick and the call would belong to no sample. It is carried over to the first
 * tick of the new period, which represents it as well as any other. The record's PERF_SAMPLE_PERIOD
 * is useless: for timer events the kernel keeps it at the initial period.
 */
#ifndef SAMPLING_PERIOD_H
#define SAMPLING_PERIOD_H

#include <stdint.h>

enum { PERIOD_PHASES = 8 }; /* changes kept: a sample may wait for two drains */

struct period_phase {
	uint64_t since_ns;
	uint64_t period_ns;
	uint64_t carry_ns; /* added to the weight of the first tick */
};

struct period_history {
	struct period_phase phases[PERIOD_PHASES];
	unsigned newest;
};

/* Call when the event is enabled. */
void period_start(struct period_history *history, uint64_t now_ns, uint64_t period_ns);
/* Call when the period changes. */
void period_change(struct period_history *history, uint64_t now_ns, uint64_t period_ns);
/* The period at @time_ns. */
uint64_t period_at(const struct period_history *history, uint64_t time_ns);
/* The weight in ns of a tick at @time_ns: the period, and the carry if it is the first tick. */
uint64_t period_weight(const struct period_history *history, uint64_t time_ns);

/*
 * A random period within +-50 % of @mean, uniform. *state is the generator's state (splitmix64);
 * any seed works. The range is this wide because then the next sample's phase is uniform: sampling
 * measures work in step with it as well as random work, whatever the program's rhythm. With +-20 %,
 * a share of half of the time varied 1.6 times as much as its interval says. In return the weights
 * differ more, so samples are worth a tenth less (aggregate/estimate.h).
 */
uint64_t period_draw(uint64_t *state, uint64_t mean);
/* The same for a timer, in ns. A drawn period is in use for some time, not for a number of ticks,
 * and a short one ticks more often in that time. So the draw is around ln 3 * @mean_ns, which makes
 * the mean of 1 / period equal to 1 / @mean_ns. */
uint64_t period_draw_timer(uint64_t *state, uint64_t mean_ns);

#endif
