/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import_counts.h"

void import_counts_done(struct import_counts *counts)
{
	vec_free(&counts->items);
}

static uint64_t saturating(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

bool import_counts_add(struct import_counts *counts, const struct sample *sample, uint64_t samples)
{
	uint64_t *weight = &counts->weights[sample->event];
	uint64_t *counted = &counts->counted[sample->event];

	if (sample->weight > IMPORT_MOST_WEIGHT - *weight)
		return false;
	*weight += sample->weight;
	*counted = saturating(*counted, samples);
	*vec_push(&counts->items) = (struct import_count){ *sample, samples };
	return true;
}

bool import_counts_are_samples(const struct import_counts *counts, uint8_t event)
{
	return counts->counted[event] <= IMPORT_MOST_COUNTED;
}

/* The samples of one stack share its weight; the first ones get what does not divide evenly. */
static int store_one(const struct import_count *count, uint64_t samples,
		     struct import_profile *import, struct err *err)
{
	struct sample sample = count->sample;
	uint64_t share = sample.weight / samples, rest = sample.weight % samples;
	int rc = 0;

	for (uint64_t i = 0; rc == 0 && i < samples; i++) {
		sample.weight = share + (i < rest);
		rc = import_profile_sample(import, &sample, err);
	}
	return rc;
}

int import_counts_store(const struct import_counts *counts, const bool *expand,
			struct import_profile *import, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < counts->items.count; i++) {
		const struct import_count *count = &counts->items.items[i];
		bool several = expand[count->sample.event] && count->samples > 0;

		rc = store_one(count, several ? count->samples : 1, import, err);
	}
	return rc;
}
