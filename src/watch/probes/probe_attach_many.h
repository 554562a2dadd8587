/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets attached many at a time: kprobe.multi, uprobe.multi. */
#ifndef WATCH_PROBES_PROBE_ATTACH_MANY_H
#define WATCH_PROBES_PROBE_ATTACH_MANY_H

#include "watch/probes/probe_attaching.h"

/* @path: the file that all are of; NULL: they are the kernel's. Those that the kernel refuses are
 * found by halving; of these the outcome says why. -EINTR: given up. */
int probe_attach_many(struct attaching *attaching, enum probe_mechanism mechanism, const char *path,
		      const probe_indices *targets);

#endif
