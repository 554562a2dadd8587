/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From running sums to what there was within an interval. */
#ifndef WATCH_WATCH_DELTAS_H
#define WATCH_WATCH_DELTAS_H

#include <stdbool.h>

#include "model/probe.h"

struct watch_deltas;

/* @latencies, @values: buckets of the histograms that rows have. */
struct watch_deltas *watch_deltas_new(size_t latencies, size_t values);
void watch_deltas_free(struct watch_deltas *deltas); /* NULL is fine */

/* Rows as in @reading, with what came since the last call. Borrowed until the next one. A time that
 * was told too high for calls that were open is taken off what follows, not told as less than
 * nothing. */
const struct probe_row *watch_deltas_take(struct watch_deltas *deltas,
					  const struct probe_reading *reading);

#endif
