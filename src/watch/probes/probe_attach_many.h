/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaches many targets at once: kprobe.multi, uprobe.multi. */
#ifndef WATCH_PROBES_PROBE_ATTACH_MANY_H
#define WATCH_PROBES_PROBE_ATTACH_MANY_H

#include "watch/probes/probe_attaching.h"

/* @path: the file of all targets; NULL: kernel targets. Halving finds those that the kernel
 * refuses; their outcomes say why. -EINTR: given up. */
int probe_attach_many(struct attaching *attaching, enum probe_mechanism mechanism, const char *path,
		      const probe_indices *targets);

#endif
