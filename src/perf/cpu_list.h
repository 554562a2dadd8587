/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of CPU numbers as sysfs and users write them: "0-3,8,10-11". */
#ifndef PERF_CPU_LIST_H
#define PERF_CPU_LIST_H

#include <stddef.h>

#include "base/err.h"

enum { CPU_LIST_MAX = 8192 }; /* NR_CPUS of the largest distribution kernels */

/* The caller frees *ret_cpus. -EINVAL with the reason for text that is no such list. */
int cpu_list_parse(const char *text, int **ret_cpus, size_t *ret_count, struct err *err);
/* The CPUs that are online now, in order: /sys/devices/system/cpu/online, or where /sys is not
 * there the lines of /proc/stat. */
int cpu_list_online(int **ret_cpus, size_t *ret_count, struct err *err);
/* How many places a table needs that has one for each number a CPU may have; 0: not known. Without
 * /sys it is up to three too many, from the mask in /proc/self/status. */
size_t cpu_list_room(void);

/* The same with other folders in the place of /sys and /proc, for tests. */
int cpu_list_online_in(const char *sys, const char *proc, int **ret_cpus, size_t *ret_count,
		       struct err *err);
size_t cpu_list_room_in(const char *sys, const char *proc);

#endif
