/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's limits on perf events, and the messages that explain them to a user. */
#ifndef PERF_PERF_LIMITS_H
#define PERF_PERF_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* kernel.perf_event_paranoid; 2 (the kernel's default) if it cannot be read. */
int64_t perf_limits_paranoid(void);
/* kernel.perf_event_max_sample_rate, samples per second and CPU; 0 if it cannot be read. */
int64_t perf_limits_max_rate(void);
/* 0, or -EINVAL with the limit and the sysctl in @err if @rate_hz exceeds the kernel's limit. */
int perf_limits_check_rate(double rate_hz, struct err *err);
/* True if we may sample our own processes in user mode. Opens an event to find out. */
bool perf_limits_own(void);
/* Explains why the kernel refused to open an event (@rc: negative errno), and the fix. @machine:
 * the event was for whole CPUs, not for threads. Returns @rc. */
int perf_limits_explain(int rc, bool machine, struct err *err);

/* The facts that select a permission message; separate for tests. */
struct perf_refusal {
	int rc;		  /* -EACCES or -EPERM */
	int64_t paranoid; /* kernel.perf_event_paranoid */
	bool root;	  /* we are root */
	bool own;	  /* perf_limits_own */
	bool machine;	  /* an event of whole CPUs was refused */
};

int perf_limits_refusal(const struct perf_refusal *refusal, struct err *err);

#endif
