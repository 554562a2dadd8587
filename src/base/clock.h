/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profiler's one clock, which also stamps every sample: the kernel's CLOCK_MONOTONIC in
 * nanoseconds. In a time namespace (time_namespaces(7)) a process reads that clock shifted; perf
 * and BPF do not.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_S  1000000000ULL
#define NS_PER_MS 1000000ULL

/* As this process reads it. */
static inline uint64_t clock_read(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* CLOCK_MONOTONIC without the shift of our time namespace. */
uint64_t clock_ns(void);
/* False: our shift cannot be known, and clock_ns is shifted by it. So it is in a process that
 * called unshare(2) or setns(2) for a time namespace and, before Linux 6.1, in what it executes. */
bool clock_is_known(void);

/* How far CLOCK_MONOTONIC of process @pid is ahead of the kernel's, in ns. A process that has ended,
 * or whose /proc/PID/ns we may not read, is taken to be in our time namespace. */
int64_t clock_shift_of(int32_t pid);
/* The same from the text of its /proc/PID/timens_offsets. */
bool clock_parse_shift(const char *text, int64_t *ret_shift_ns);

#endif
