/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How targets are reached: the best mechanism that the kernel has for each, and the next one where
 * it refuses; when one of many makes a link fail, halves are tried until it is found.
 */
#ifndef COLLECT_PROBE_ATTACH_H
#define COLLECT_PROBE_ATTACH_H

#include "collect/probe_programs.h"
#include "collect/probes.h"

struct probe_links;

/* Attaches to @options' targets; @outcomes has one for each. -EINTR: given up, nothing is left. */
int probe_links_new(const struct probe_options *options, struct probe_programs *programs,
		    struct probe_outcome *outcomes, struct probe_links **ret_links,
		    struct err *err);
/* Detaches. NULL is fine. */
void probe_links_free(struct probe_links *links);
DEFINE_CLEANUP(struct probe_links *, probe_links_free);

/* Up to so many functions of the kernel are reached by fentry, whose calls cost least, but which is
 * slow to attach. */
enum { PROBE_MAX_FENTRY = 16 };

/* What the kernel has, found by trying. */
struct probe_ways {
	bool fentry; /* not yet tried with a function: it has the types */
	bool kprobe_multi, kprobe, uprobe_multi, uprobe;
};
struct probe_ways probe_ways_find(void);
/* The one by which most of @count targets would be reached. PROBE_NONE: there is none. */
enum probe_mechanism probe_ways_choose(const struct probe_ways *ways, bool user, size_t count);

#endif
