/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the kernel's mapping records name a file. On some file systems fstat(2) has another device. */
#ifndef PERF_OWN_MAPPING_H
#define PERF_OWN_MAPPING_H

#include <stdbool.h>

#include "perf/perf_record.h"

/* Maps the file for a moment and reads the record of that. *ret_map has no path. False: the kernel
 * lets us neither map the file nor see the record. */
bool own_mapping_record(int fd, struct perf_mmap *ret_map);

#endif
