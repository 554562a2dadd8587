/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of CPU numbers as sysfs and users write them: "0-3,8,10-11". */
#ifndef PERF_CPU_LIST_H
#define PERF_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { CPU_LIST_MAX = 8192 }; /* NR_CPUS of the largest distribution kernels */

/* The caller frees *ret_cpus. -EINVAL with the reason if @text is not such a list. */
int cpu_list_parse(const char *text, int **ret_cpus, size_t *ret_count, struct err *err);
/* The CPUs that are online now, ascending: from /sys/devices/system/cpu/online, or without /sys
 * from /proc/stat. */
int cpu_list_online(int **ret_cpus, size_t *ret_count, struct err *err);
bool cpu_list_has(const int *cpus, size_t count, int cpu);
/* The online CPUs that the option's list @text names, ascending and each once; NULL: all. The caller
 * frees *ret_cpus. -EINVAL for what is no list, or names a CPU that is not online. */
int cpu_list_choose(const char *option, const char *text, int **ret_cpus, size_t *ret_count,
		    struct err *err);
/* The size of a table with one entry for every number that a CPU may have; 0 if unknown. Without
 * /sys it comes from the mask in /proc/self/status and may be up to three too large. */
size_t cpu_list_room(void);

/* For tests: the same with other folders in place of /sys and /proc. */
int cpu_list_online_in(const char *sys, const char *proc, int **ret_cpus, size_t *ret_count,
		       struct err *err);
size_t cpu_list_room_in(const char *sys, const char *proc);

#endif
