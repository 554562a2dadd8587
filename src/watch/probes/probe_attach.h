/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How targets are reached: the best mechanism that the kernel has for each, and the next one where
 * it refuses; when one of many makes a link fail, halves are tried until it is found.
 */
#ifndef WATCH_PROBES_PROBE_ATTACH_H
#define WATCH_PROBES_PROBE_ATTACH_H

#include "watch/probes/probe_programs.h"
#include "watch/probes/probes.h"

struct probe_links;

/* Attaches to @options' targets; @outcomes has one for each. -EINTR: given up, nothing is left. */
int probe_links_new(const struct probe_options *options, struct probe_programs *programs,
		    struct probe_outcome *outcomes, struct probe_links **ret_links,
		    struct err *err);
/* Detaches. NULL is fine. */
void probe_links_free(struct probe_links *links);
DEFINE_CLEANUP(struct probe_links *, probe_links_free);

#endif
