/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers that are the same on every machine. */
#ifndef UNIT_AGGREGATE_DRAWS_H
#define UNIT_AGGREGATE_DRAWS_H

#include <math.h>
#include <stdint.h>

/* xorshift64* */
static inline uint64_t draw_next(uint64_t seed)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	return seed ^ seed >> 27;
}

#define DRAW_LIMIT 9007199254740992.0

/* 0 <= number < DRAW_LIMIT. */
static inline uint64_t draw_number(uint64_t seed)
{
	return (seed * 0x2545f4914f6cdd1dULL) >> 11;
}

/* 0 <= number < 1. */
static inline double draw(uint64_t *seed)
{
	*seed = draw_next(*seed);
	return (double)draw_number(*seed) / DRAW_LIMIT;
}

/* Normal with mean 0 and deviation 1 (Box and Muller). */
static inline double draw_normal(uint64_t *seed)
{
	double radius = sqrt(-2 * log(1 - draw(seed)));

	return radius * cos(2 * M_PI * draw(seed));
}

/* How many of @n hit, each with the chance @share. */
static inline double draw_binomial(uint64_t *seed, int n, double share)
{
	double limit = share * DRAW_LIMIT;
	uint64_t at =
		*seed; /* not through the pointer, which the sanitizers would check each time */
	int hits = 0;

	for (int i = 0; i < n; i++) {
		at = draw_next(at);
		hits += (double)draw_number(at) < limit;
	}
	*seed = at;
	return hits;
}

/* Poisson: how many exponential steps fit into @mean. */
static inline double draw_poisson(uint64_t *seed, double mean)
{
	double at = 0;
	int count = -1;

	for (; at < mean; count++)
		at -= log(1 - draw(seed));
	return count;
}

#endif
