/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes at places besides the targets: call sites of watched functions, where a call ends that
 * left its function by a jump, and functions that unwind stacks. Some places are known in advance.
 * Others get a probe when the BPF programs see a call from an unknown site.
 */
#ifndef WATCH_PROBES_PROBE_SITES_H
#define WATCH_PROBES_PROBE_SITES_H

#include "base/cleanup.h"
#include "base/err.h"
#include "watch/probes/probe_programs.h"
#include "watch/probes/probes.h"

struct probe_sites;

/* Attaches to @options' places; skips those that the kernel refuses. *ret_sites is NULL if no
 * target needs any. */
int probe_sites_new(const struct probe_options *options, struct probe_programs *programs,
		    struct probe_sites **ret_sites, struct err *err);
/* Detaches. NULL is fine. */
void probe_sites_free(struct probe_sites *sites);
DEFINE_CLEANUP(struct probe_sites *, probe_sites_free);

/* Readable when probe_sites_serve has work. */
int probe_sites_fd(const struct probe_sites *sites);
void probe_sites_serve(struct probe_sites *sites);
/* How many places have a probe. */
size_t probe_sites_count(const struct probe_sites *sites);

#endif
