/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one sampling interrupt costs here, so that a report can say what the profiler itself took:
 * measured with a fixed loop, run with and without sampling in turn, and kept for this boot in the
 * state folder.
 */
#ifndef SAMPLING_INTERRUPT_COST_H
#define SAMPLING_INTERRUPT_COST_H

#include "base/err.h"
#include "model/check.h"

/* Takes about a second. Negative errno when not even our own thread may be sampled. */
int interrupt_cost_measure(struct interrupt_cost *ret_cost, struct err *err);
/* The kept one; -ENOENT when none was measured since this boot. */
int interrupt_cost_load(struct interrupt_cost *ret_cost);
int interrupt_cost_save(const struct interrupt_cost *cost, struct err *err);

/* Pure parts, for tests: the median and quartiles of @count values (changed in place), count >= 1.
 */
void interrupt_cost_quartiles(double *values, unsigned count, struct interrupt_cost *ret_cost);

#endif
