/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's limits on perf events, and the sentences that tell a user what they mean. */
#ifndef COLLECT_PERF_LIMITS_H
#define COLLECT_PERF_LIMITS_H

#include <stdint.h>

#include "base/err.h"

/* kernel.perf_event_paranoid; 2 (the kernel's default) when it cannot be read. */
int64_t perf_limits_paranoid(void);
/* kernel.perf_event_max_sample_rate, samples per second and CPU; 0 when it cannot be read. */
int64_t perf_limits_max_rate(void);
/* 0, or -EINVAL when @rate_hz is above the kernel's limit, with the limit and the sysctl in @err.
 */
int perf_limits_check_rate(double rate_hz, struct err *err);
/* Why the kernel refused to open an event (@rc: negative errno) and what mends it. Returns @rc. */
int perf_limits_explain(int rc, struct err *err);

#endif
