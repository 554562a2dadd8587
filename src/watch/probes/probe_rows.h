/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the counts of the BPF programs: sums the mapped slots of all CPUs into rows. */
#ifndef WATCH_PROBES_PROBE_ROWS_H
#define WATCH_PROBES_PROBE_ROWS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "watch/probes/probe_programs.h"
#include "watch/probes/probes.h"

struct probe_rows;

/* Maps the tables of @programs, which must outlive the rows. */
int probe_rows_new(const struct probe_options *options, const struct probe_programs *programs,
		   const struct probe_room *room, struct probe_rows **ret_rows, struct err *err);
void probe_rows_free(struct probe_rows *rows); /* NULL is fine */
DEFINE_CLEANUP(struct probe_rows *, probe_rows_free);

/* Sums the counts up to @now_ns; @opened_ns: when counting began. Rows and histograms are borrowed
 * until the next call. Call it at least every few minutes: histograms have 32-bit counters. */
const struct probe_row *probe_rows_read(struct probe_rows *rows, uint64_t opened_ns,
					uint64_t now_ns, size_t *ret_count);

#endif
