/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs of bpf/probes.bpf.c are told before they are loaded: what to do, for whom, with
 * how much room; and which of them are loaded at all. */
#ifndef WATCH_PROBES_PROBE_SETUP_H
#define WATCH_PROBES_PROBE_SETUP_H

#include "watch/probes/probe_programs.h"

/* @object: opened, not loaded yet. */
void probe_setup(struct probes_bpf *object, const struct probe_options *options,
		 const struct probe_room *room, const struct probe_conditions *conditions);

#endif
