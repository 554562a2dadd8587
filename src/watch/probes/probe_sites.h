/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes at places that no target has: behind the calls of watched functions, where a call ends
 * that left its function by a jump, and where stacks are unwound. Some are known beforehand; the
 * others are put in place when the programs in the kernel meet a call from a place they do not
 * know.
 */
#ifndef WATCH_PROBES_PROBE_SITES_H
#define WATCH_PROBES_PROBE_SITES_H

#include "base/cleanup.h"
#include "base/err.h"
#include "watch/probes/probe_programs.h"
#include "watch/probes/probes.h"

struct probe_sites;

/* Attaches @options' places. What cannot be had is left out. NULL in *ret_sites where no target
 * needs any. */
int probe_sites_new(const struct probe_options *options, struct probe_programs *programs,
		    struct probe_sites **ret_sites, struct err *err);
/* Detaches. NULL is fine. */
void probe_sites_free(struct probe_sites *sites);
DEFINE_CLEANUP(struct probe_sites *, probe_sites_free);

/* Readable when probe_sites_serve has something to do. */
int probe_sites_fd(const struct probe_sites *sites);
void probe_sites_serve(struct probe_sites *sites);
/* How many places have a probe. */
size_t probe_sites_count(const struct probe_sites *sites);

#endif
