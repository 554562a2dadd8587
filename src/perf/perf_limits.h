/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's limits on perf events, and the sentences that tell a user what they mean. */
#ifndef PERF_PERF_LIMITS_H
#define PERF_PERF_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* kernel.perf_event_paranoid; 2 (the kernel's default) when it cannot be read. */
int64_t perf_limits_paranoid(void);
/* kernel.perf_event_max_sample_rate, samples per second and CPU; 0 when it cannot be read. */
int64_t perf_limits_max_rate(void);
/* 0, or -EINVAL when @rate_hz is above the kernel's limit, with the limit and the sysctl in @err.
 */
int perf_limits_check_rate(double rate_hz, struct err *err);
/* May we look at least at what our own processes do in user mode? It is tried. */
bool perf_limits_own(void);
/* Why the kernel refused to open an event (@rc: negative errno) and what mends it; @machine: one of
 * whole CPUs, not of some threads. Returns @rc. */
int perf_limits_explain(int rc, bool machine, struct err *err);

/* What the sentence about a permission follows from; apart for tests. */
struct perf_refusal {
	int rc;		  /* -EACCES or -EPERM */
	int64_t paranoid; /* kernel.perf_event_paranoid */
	bool root;	  /* we are root */
	bool own;	  /* perf_limits_own */
	bool machine;	  /* an event of whole CPUs was refused */
};

int perf_limits_refusal(const struct perf_refusal *refusal, struct err *err);

#endif
