/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what the programs count: the slots of all CPUs, which are mapped, added up into rows.
 */
#ifndef WATCH_PROBES_PROBE_ROWS_H
#define WATCH_PROBES_PROBE_ROWS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "watch/probes/probe_programs.h"
#include "watch/probes/probes.h"

struct probe_rows;

/* The tables of @programs are mapped and must outlive it. */
int probe_rows_new(const struct probe_options *options, const struct probe_programs *programs,
		   const struct probe_room *room, struct probe_rows **ret_rows, struct err *err);
void probe_rows_free(struct probe_rows *rows); /* NULL is fine */
DEFINE_CLEANUP(struct probe_rows *, probe_rows_free);

/* Adds up what there is at @now_ns; @opened_ns: when counting began. Rows and histograms are
 * borrowed until the next call. Not more than some minutes may go by between two calls: histograms
 * are counted in 32 bits. */
const struct probe_row *probe_rows_read(struct probe_rows *rows, uint64_t opened_ns,
					uint64_t now_ns, size_t *ret_count);

#endif
