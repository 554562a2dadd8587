/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of CPU numbers as sysfs and users write them: "0-3,8,10-11". */
#ifndef COLLECT_CPU_LIST_H
#define COLLECT_CPU_LIST_H

#include <stddef.h>

#include "base/err.h"

enum { CPU_LIST_MAX = 8192 }; /* NR_CPUS of the largest distribution kernels */

/* The caller frees *ret_cpus. -EINVAL with the reason for text that is no such list. */
int cpu_list_parse(const char *text, int **ret_cpus, size_t *ret_count, struct err *err);
/* The CPUs that are online now (/sys/devices/system/cpu/online). */
int cpu_list_online(int **ret_cpus, size_t *ret_count, struct err *err);

#endif
