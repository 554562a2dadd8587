/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaches targets one by one: fentry, kprobes, uprobes. */
#ifndef WATCH_PROBES_PROBE_ATTACH_EACH_H
#define WATCH_PROBES_PROBE_ATTACH_EACH_H

#include "watch/probes/probe_attaching.h"

/* If a target cannot be attached, its outcome says why. -EINTR: given up. */
int probe_attach_each(struct attaching *attaching, enum probe_mechanism mechanism,
		      const probe_indices *targets);

#endif
