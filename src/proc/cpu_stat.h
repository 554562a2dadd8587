/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's account of processor time: the lines "cpu" and "cpu0",
 * "cpu1" ... of /proc/stat (proc(5)), in ns. */
#ifndef PROC_CPU_STAT_H
#define PROC_CPU_STAT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct cpu_stat {
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal; /* ns; guest is in user */
};

/* The sum of these CPUs, ascending; of all without any. -EINVAL: one of them has no line, as it is
 * not online. */
int cpu_stat_read(const int *cpus, size_t count, struct cpu_stat *ret_stat, struct err *err);
/* For tests: @text is the file's contents, @hz the clock ticks per second. */
int cpu_stat_parse(const char *text, long hz, const int *cpus, size_t count,
		   struct cpu_stat *ret_stat);
/* later - earlier, field by field; 0 for a field that went back. If iowait went back, idle is
 * reduced by that amount. */
struct cpu_stat cpu_stat_since(const struct cpu_stat *earlier, const struct cpu_stat *later);
/* user + nice + system + irq + softirq. */
uint64_t cpu_stat_busy(const struct cpu_stat *stat);
/* The sum of all fields. */
uint64_t cpu_stat_sum(const struct cpu_stat *stat);
/* The part of delta->steal that no other field contains. While a waking virtual CPU waits for a
 * real one, the hypervisor counts steal and the guest counts idle, so the fields add up to more
 * than @capacity_ns (CPUs * wall time). */
uint64_t cpu_stat_steal(const struct cpu_stat *delta, uint64_t capacity_ns);

#endif
