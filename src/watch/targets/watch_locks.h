/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * To probe a file, the kernel writes to each process that has mapped it and waits for the lock of
 * its memory. Meanwhile no process on the machine can fork. A process may hold that lock while it
 * waits for a file system. If that never answers, the whole machine hangs and prospect cannot be
 * killed. So such a process must be found before attaching.
 */
#ifndef WATCH_TARGETS_WATCH_LOCKS_H
#define WATCH_TARGETS_WATCH_LOCKS_H

#include "base/err.h"
#include "watch/probes/probes.h"

/* -EBUSY with the process: its memory lock is held, and it may have mapped a file of the targets or
 * places. For a program, these are the processes whose program has the same name; for a library,
 * all processes. */
int watch_locks_check(const struct probe_options *probes, struct err *err);

#endif
