/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What it costs to get from a watched function into a probe's program and back, without the
 * program.
 */
#ifndef WATCH_PROBES_PROBE_TRAP_H
#define WATCH_PROBES_PROBE_TRAP_H

#include <stdint.h>

#include "model/probe.h"

/* By table: nanoseconds of one run of a kernel's probe; of a program's what is usual. PROBE_NONE is
 * 0. */
uint64_t probe_trap_typical_ns(enum probe_mechanism mechanism);
/* Of a program's probe, measured here on a function of ours: some ten milliseconds. 0: it cannot be
 * attached. @multi: by uprobe.multi. */
uint64_t probe_trap_measure_ns(bool multi);
/* By table: what it takes to attach one target's probes one by one, and to detach them. */
uint64_t probe_trap_attach_ns(enum probe_mechanism mechanism);
uint64_t probe_trap_detach_ns(enum probe_mechanism mechanism);

#endif
