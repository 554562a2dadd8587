/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches to each target by the best mechanism that the kernel has, and by the next one if it
 * refuses. If one of many targets makes a link fail, halving finds it.
 */
#ifndef WATCH_PROBES_PROBE_ATTACH_H
#define WATCH_PROBES_PROBE_ATTACH_H

#include "watch/probes/probe_programs.h"
#include "watch/probes/probes.h"

struct probe_attached;

/* Attaches to @options' targets; @outcomes has one entry per target. -EINTR: given up; nothing
 * stays attached. */
int probe_attach_new(const struct probe_options *options, struct probe_programs *programs,
		     struct probe_outcome *outcomes, struct probe_attached **ret_attached,
		     struct err *err);
/* Detaches. NULL is fine. */
void probe_attach_free(struct probe_attached *attached);
DEFINE_CLEANUP(struct probe_attached *, probe_attach_free);

#endif
