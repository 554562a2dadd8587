/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a tick of a timer event stands for when its period keeps changing.
 *
 * PERF_EVENT_IOC_PERIOD restarts the event's timer: from the moment of the call ticks come at
 * call + k x period. The time since the last tick before the call would be nobody's; it is carried
 * to the first tick of the new period, which is as good a draw for it as any. The record's own
 * PERF_SAMPLE_PERIOD is of no use: for timer events the kernel leaves it at the period of the
 * event's birth.
 */
#ifndef SAMPLING_PERIOD_H
#define SAMPLING_PERIOD_H

#include <stdint.h>

enum { PERIOD_PHASES = 8 }; /* how many changes back a sample may lie: it waits for two drains */

struct period_phase {
	uint64_t since_ns;
	uint64_t period_ns;
	uint64_t carry_ns; /* owed to the first tick */
};

struct period_history {
	struct period_phase phases[PERIOD_PHASES];
	unsigned newest;
};

/* The event was enabled. */
void period_start(struct period_history *history, uint64_t now_ns, uint64_t period_ns);
/* The period was changed. */
void period_change(struct period_history *history, uint64_t now_ns, uint64_t period_ns);
/* The period that was set at @time_ns. */
uint64_t period_at(const struct period_history *history, uint64_t time_ns);
/* The weight in ns of a tick at @time_ns: the period and what is owed. */
uint64_t period_weight(const struct period_history *history, uint64_t time_ns);

/*
 * A period within +-50 % of @mean, all equally likely; *state is the generator's, any seed will do
 * (splitmix64). That wide because the phase of the next sample is then as likely as any other:
 * what a program does in step with the sampling is read as truly as what is done at random,
 * whatever its rhythm. Within +-20 % a share of half of the time varied 1.6 times as much as its
 * interval says. The weights differ more for it: samples are worth a tenth less
 * (aggregate/estimate.h).
 */
uint64_t period_draw(uint64_t *state, uint64_t mean);
/* The same for a timer, in ns. A draw of a timer lasts for a time and not for a number of ticks,
 * and short periods tick more often in it: the draw is around ln 3 x @mean_ns, so that the mean of
 * 1 / period is 1 / @mean_ns. */
uint64_t period_draw_timer(uint64_t *state, uint64_t mean_ns);

#endif
