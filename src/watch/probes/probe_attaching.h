/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of attaching, and what all mechanisms share. Private to probe_attach*.c. */
#ifndef WATCH_PROBES_PROBE_ATTACHING_H
#define WATCH_PROBES_PROBE_ATTACHING_H

#include <sys/types.h>

#include "base/vec.h"
#include "watch/probes/probe_programs.h"
#include "watch/probes/probe_ways.h"
#include "watch/probes/probes.h"

typedef VEC(size_t) probe_indices; /* of targets */

struct probe_links {
	const struct probe_options *options; /* borrowed */
	VEC(int) fds;
};

struct attaching {
	const struct probe_options *options;
	struct probe_programs *programs;
	struct probe_outcome *outcomes; /* one per target */
	struct probe_links *links;
	struct probe_ways ways;
	size_t made; /* number of links */
};

/* Sets why there is no probe: in words, or from the kernel's negative errno. */
void probe_attaching_say(struct probe_outcome *outcome, const char *why);
void probe_attaching_refuse(struct probe_outcome *outcome, int rc);
/* True if the error is about the kernel or our rights, not about the target. */
bool probe_attaching_is_general(int rc);

/* Reports progress. */
void probe_attaching_tell(const struct probe_options *options, const char *act, size_t done,
			  size_t count);
/* Keeps a link and owns its descriptor. Returns @fd if it is negative; -EINTR: give up. */
int probe_attaching_keep(struct attaching *attaching, int fd);

/* True for a Go function whose goroutines cannot be identified, or whose returns are not known. A
 * probe must not replace return addresses there. */
bool probe_attaching_hides_ends(const struct probe_options *options,
				const struct probe_target *target);
bool probe_attaching_has_exits(const struct attaching *attaching,
			       const struct probe_target *target);
uint64_t probe_attaching_cookie(const struct attaching *attaching, size_t index);
/* The cookie for a place that is not an entry: @spot is of enum probe_spot. */
uint64_t probe_attaching_spot(uint64_t cookie, unsigned spot);
/* The kernel's encoding of a device number from stat(2). */
uint32_t probe_attaching_device(uint64_t device);
/* The cookie of a place that belongs to no target. */
uint64_t probe_attaching_place(unsigned spot, uint32_t go);
/* The only watched process, if its children are not watched: its probes need not stop other
 * processes. 0: none. */
pid_t probe_attaching_only_pid(const struct probe_options *options);

#endif
