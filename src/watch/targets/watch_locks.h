/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel puts a probe of a file into every process that has mapped it, and waits for the lock
 * of each one's memory; meanwhile nothing on the machine can fork. A process may hold that lock
 * while it waits for a file system. If that never answers, the whole machine stands still and we
 * cannot be killed, so such a process must be found beforehand.
 */
#ifndef WATCH_TARGETS_WATCH_LOCKS_H
#define WATCH_TARGETS_WATCH_LOCKS_H

#include "base/err.h"
#include "watch/probes/probes.h"

/* -EBUSY and the process: one that may have mapped a file of the targets or places does not give
 * anybody its memory. Of a program these are the processes that run one of its name, of a library
 * all. */
int watch_locks_check(const struct probe_options *probes, struct err *err);

#endif
