/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Configures the programs of bpf/probes.bpf.c before they are loaded: what to measure, for which
 * tasks, with how much room; and which of them to load. */
#ifndef WATCH_PROBES_PROBE_SETUP_H
#define WATCH_PROBES_PROBE_SETUP_H

#include "watch/probes/probe_programs.h"

/* @object: opened, not yet loaded. */
void probe_setup(struct probes_bpf *object, const struct probe_options *options,
		 const struct probe_room *room, const struct probe_conditions *conditions);

#endif
