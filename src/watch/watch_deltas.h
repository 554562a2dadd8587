/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns running sums into the differences of an interval. */
#ifndef WATCH_WATCH_DELTAS_H
#define WATCH_WATCH_DELTAS_H

#include <stdbool.h>

#include "model/probe.h"

struct watch_deltas;

/* @latencies, @values: how many buckets the rows' histograms have. */
struct watch_deltas *watch_deltas_new(size_t latencies, size_t values);
void watch_deltas_free(struct watch_deltas *deltas); /* NULL is fine */

/* The rows of @reading, with the differences to the last call. Borrowed until the next call. A sum
 * that was too high for open calls may fall: then its difference is 0 until it exceeds its highest
 * value. */
const struct probe_row *watch_deltas_take(struct watch_deltas *deltas,
					  const struct probe_reading *reading);

#endif
