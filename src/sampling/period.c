/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampling/period.h"

#include "base/hashidx.h"

void period_start(struct period_history *history, uint64_t now_ns, uint64_t period_ns)
{
	for (unsigned i = 0; i < PERIOD_PHASES; i++)
		history->phases[i] = (struct period_phase){ now_ns, period_ns, 0 };
	history->newest = 0;
}

void period_change(struct period_history *history, uint64_t now_ns, uint64_t period_ns)
{
	const struct period_phase *old = &history->phases[history->newest];
	uint64_t carry_ns = (now_ns - old->since_ns) % old->period_ns;

	/* No tick since the last change: its carry is still due. */
	if (now_ns - old->since_ns < old->period_ns)
		carry_ns += old->carry_ns;
	history->newest = (history->newest + 1) % PERIOD_PHASES;
	history->phases[history->newest] = (struct period_phase){ now_ns, period_ns, carry_ns };
}

static const struct period_phase *phase_at(const struct period_history *history, uint64_t time_ns)
{
	const struct period_phase *phase = &history->phases[history->newest];

	for (unsigned back = 0; back < PERIOD_PHASES; back++) {
		phase = &history->phases[(history->newest + PERIOD_PHASES - back) % PERIOD_PHASES];
		if (phase->since_ns <= time_ns)
			break;
	}
	return phase;
}

uint64_t period_at(const struct period_history *history, uint64_t time_ns)
{
	return phase_at(history, time_ns)->period_ns;
}

uint64_t period_weight(const struct period_history *history, uint64_t time_ns)
{
	const struct period_phase *phase = phase_at(history, time_ns);

	/* The first tick comes one period after the change, give or take the timer's lateness. */
	if (time_ns >= phase->since_ns && time_ns - phase->since_ns < phase->period_ns * 3 / 2)
		return phase->period_ns + phase->carry_ns;
	return phase->period_ns;
}

uint64_t period_draw(uint64_t *state, uint64_t mean)
{
	*state += 0x9e3779b97f4a7c15ULL;
	return mean - mean / 2 + hash_u64(*state) % (mean + 1);
}

uint64_t period_draw_timer(uint64_t *state, uint64_t mean_ns)
{
	return period_draw(state, mean_ns + mean_ns * 986 / 10000); /* ln 3 = 1.0986 */
}
