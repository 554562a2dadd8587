/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/watch_deltas.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xalloc.h"

/* A place's counts at the last call, and its histograms. */
struct before {
	struct probe_counts counts;
	uint64_t *latency, *values; /* sums, then their differences; NULL: none yet */
};

struct watch_deltas {
	size_t latencies, value_buckets;
	VEC(struct before) befores; /* by place */
	VEC(struct probe_row) rows;
};

struct watch_deltas *watch_deltas_new(size_t latencies, size_t values)
{
	struct watch_deltas *deltas = xcalloc(1, sizeof(*deltas));

	deltas->latencies = latencies;
	deltas->value_buckets = values;
	return deltas;
}

void watch_deltas_free(struct watch_deltas *deltas)
{
	if (!deltas)
		return;
	for (size_t i = 0; i < deltas->befores.count; i++) {
		free(deltas->befores.items[i].latency);
		free(deltas->befores.items[i].values);
	}
	vec_free(&deltas->befores);
	vec_free(&deltas->rows);
	free(deltas);
}

/* The difference; *@before keeps the highest value. */
static uint64_t advance(uint64_t *before, uint64_t now)
{
	uint64_t difference = now > *before ? now - *before : 0;

	*before += difference;
	return difference;
}

static void advance_counts(struct probe_counts *before, struct probe_counts *counts)
{
	uint64_t inside = counts->inside, longest_ns = counts->longest_ns;
	uint64_t *sums = (uint64_t *)before, *values = (uint64_t *)counts;

	_Static_assert(sizeof(*before) % sizeof(*sums) == 0, "nothing but numbers");
	for (size_t i = 0; i < sizeof(*before) / sizeof(*sums); i++)
		values[i] = advance(&sums[i], values[i]);
	counts->inside = inside;
	counts->longest_ns = longest_ns;
}

static const uint64_t *advance_histogram(uint64_t **before, const uint64_t *now, size_t count)
{
	if (!now)
		return NULL;
	if (!*before)
		*before = xcalloc(2 * count, sizeof(**before));
	for (size_t i = 0; i < count; i++)
		(*before)[count + i] = advance(&(*before)[i], now[i]);
	return *before + count;
}

static struct before *before_at(struct watch_deltas *deltas, size_t place)
{
	while (deltas->befores.count <= place)
		*vec_push(&deltas->befores) = (struct before){ .latency = NULL };
	return &deltas->befores.items[place];
}

const struct probe_row *watch_deltas_take(struct watch_deltas *deltas,
					  const struct probe_reading *reading)
{
	deltas->rows.count = 0;
	for (size_t i = 0; i < reading->row_count; i++) {
		struct probe_row row = reading->rows[i];
		struct before *before = before_at(deltas, row.place);

		advance_counts(&before->counts, &row.counts);
		row.latency = advance_histogram(&before->latency, row.latency, deltas->latencies);
		row.values = advance_histogram(&before->values, row.values, deltas->value_buckets);
		*vec_push(&deltas->rows) = row;
	}
	return deltas->rows.items;
}
