/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks that come with how often they were seen: each becomes that many samples, so that shares
 * have their intervals; or one that weighs as much, where the numbers are no counts of samples.
 */
#ifndef IMPORT_IMPORT_COUNTS_H
#define IMPORT_IMPORT_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "import/import_profile.h"

/* More samples than this are not made of counts: then they must be something else, such as time. */
enum { IMPORT_MOST_COUNTED = 10000000 };
/* What an event weighs at most: the profile's numbers have a sign. */
#define IMPORT_MOST_WEIGHT ((uint64_t)INT64_MAX)

struct import_count {
	struct sample sample; /* its weight is that of all */
	uint64_t samples;     /* 0: not told */
};

/* Zero-initialised is empty. */
struct import_counts {
	VEC(struct import_count) items;
	uint64_t weights[PROFILE_MAX_EVENTS]; /* sums by event */
	uint64_t counted[PROFILE_MAX_EVENTS]; /* of samples */
};

void import_counts_done(struct import_counts *counts);
/* False: the event would weigh more than IMPORT_MOST_WEIGHT; nothing was added. */
bool import_counts_add(struct import_counts *counts, const struct sample *sample, uint64_t samples);
/* Are there few enough counts of an event to be samples? */
bool import_counts_are_samples(const struct import_counts *counts, uint8_t event);
/* Stores everything. Of events whose @expand is set each count becomes a sample. */
int import_counts_store(const struct import_counts *counts, const bool *expand,
			struct import_profile *import, struct err *err);

#endif
