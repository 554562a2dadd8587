/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of attaching, and what all ways to attach share. Private to probe_attach*.c. */
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
	struct probe_outcome *outcomes; /* one for each target */
	struct probe_links *links;
	struct probe_ways ways;
	size_t made; /* links */
};

/* Why there is no probe: in words, or as the kernel said it (a negative errno). */
void probe_attaching_say(struct probe_outcome *outcome, const char *why);
void probe_attaching_refuse(struct probe_outcome *outcome, int rc);
/* Is it about the kernel or us, whatever the target? */
bool probe_attaching_is_general(int rc);

/* Tells how far it is. */
void probe_attaching_tell(const struct probe_options *options, const char *act, size_t done,
			  size_t count);
/* Keeps a link, whose descriptor it takes. @fd negative: that is returned; -EINTR: give up. */
int probe_attaching_keep(struct attaching *attaching, int fd);

/* Is it a function of Go whose calls cannot be told apart, or whose returns are not known? Return
 * addresses must not be exchanged there. */
bool probe_attaching_hides_ends(const struct probe_options *options,
				const struct probe_target *target);
bool probe_attaching_has_exits(const struct attaching *attaching,
			       const struct probe_target *target);
uint64_t probe_attaching_cookie(const struct attaching *attaching, size_t index);
/* The same for a place that is no entry, enum probe_spot. */
uint64_t probe_attaching_spot(uint64_t cookie, unsigned spot);
/* The kernel's number of a device that stat(2) tells. */
uint32_t probe_attaching_device(uint64_t device);
/* Of a place that is of no target. */
uint64_t probe_attaching_place(unsigned spot, uint32_t go);
/* The one process that is watched, where nothing it forks is: others need not be stopped by its
 * probes. 0: there is no such one. */
pid_t probe_attaching_only_pid(const struct probe_options *options);

#endif
