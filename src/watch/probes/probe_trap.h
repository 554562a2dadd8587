/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of getting from a watched function into a probe's program and back, without the program
 * itself.
 */
#ifndef WATCH_PROBES_PROBE_TRAP_H
#define WATCH_PROBES_PROBE_TRAP_H

#include <stdint.h>

#include "model/probe.h"

/* By table: nanoseconds per run; for uprobes a usual value. PROBE_NONE is 0. */
uint64_t probe_trap_typical_ns(enum probe_mechanism mechanism);
/* Measures a uprobe on a function of prospect itself, in some ten milliseconds. 0: it cannot be
 * attached. @multi: by uprobe.multi. */
uint64_t probe_trap_measure_ns(bool multi);
/* By table: the time to attach one target's probes one by one, and to detach them. */
uint64_t probe_trap_attach_ns(enum probe_mechanism mechanism);
uint64_t probe_trap_detach_ns(enum probe_mechanism mechanism);

#endif
