/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks with counts. A count becomes that many samples, so that shares have their intervals; or
 * one sample of that weight, if the numbers do not count samples.
 */
#ifndef IMPORT_IMPORT_COUNTS_H
#define IMPORT_IMPORT_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "import/import_profile.h"

/* A larger sum of counts is taken as something else, such as time, and not as samples. */
enum { IMPORT_MOST_COUNTED = 10000000 };
/* The largest weight of an event: numbers in the profile are signed. */
#define IMPORT_MOST_WEIGHT ((uint64_t)INT64_MAX)

struct import_count {
	struct sample sample; /* its weight is that of all its samples */
	uint64_t samples;     /* 0: unknown */
};

/* Empty when zero-initialised. */
struct import_counts {
	VEC(struct import_count) items;
	uint64_t weights[PROFILE_MAX_EVENTS]; /* sums by event */
	uint64_t counted[PROFILE_MAX_EVENTS]; /* samples by event */
};

void import_counts_done(struct import_counts *counts);
/* False: the event's weight would exceed IMPORT_MOST_WEIGHT; nothing was added. */
bool import_counts_add(struct import_counts *counts, const struct sample *sample, uint64_t samples);
/* True if the event has at most IMPORT_MOST_COUNTED samples. */
bool import_counts_are_samples(const struct import_counts *counts, uint8_t event);
/* Stores everything. Counts of events with @expand set become samples. */
int import_counts_store(const struct import_counts *counts, const bool *expand,
			struct import_profile *import, struct err *err);

#endif
