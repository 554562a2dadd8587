/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of one sampling interrupt on this machine, from which a report computes the profiler's
 * overhead. It is measured with a fixed loop, run alternately without and with sampling, and kept
 * in the state folder until the next boot.
 */
#ifndef SAMPLING_INTERRUPT_COST_H
#define SAMPLING_INTERRUPT_COST_H

#include "base/err.h"
#include "model/check.h"

/* Takes about a second. Negative errno if we may not even sample our own thread. */
int interrupt_cost_measure(struct interrupt_cost *ret_cost, struct err *err);
/* Loads the saved measurement; -ENOENT if there is none since this boot. */
int interrupt_cost_load(struct interrupt_cost *ret_cost);
int interrupt_cost_save(const struct interrupt_cost *cost, struct err *err);

/* For tests: the median and quartiles of @count values (>= 1), which it reorders. */
void interrupt_cost_quartiles(double *values, unsigned count, struct interrupt_cost *ret_cost);

#endif
