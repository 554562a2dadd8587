/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long the profiled command waited, and for what, from the facts of the run. */
#ifndef PRESENT_WAITED_H
#define PRESENT_WAITED_H

#include <stdint.h>

struct run_facts;

enum waited_known {
	WAITED_NOT_KNOWN,
	WAITED_TOTAL, /* but no reasons */
	WAITED_REASONS,
};

enum { WAITED_ROWS = 12 };

struct waited_row {
	const char *name; /* of the reason, as in the facts: "disk" */
	uint64_t ns;
};

struct waited {
	uint64_t elapsed_ns; /* the time of the command; 0: there was none, the rest is zero */
	enum waited_known known;
	uint64_t total_ns;  /* in which no thread of it ran or was runnable, <= elapsed_ns */
	uint64_t locks_ns;  /* that all its threads together were blocked on locks */
	uint64_t not_asked; /* waits whose reasons are unknown, and whether they were for locks */
	struct waited_row rows[WAITED_ROWS]; /* of WAITED_REASONS: all reasons, the longest first */
};

/* The least time in which it was runnable but had no CPU, if its CPUs' time is @cpu_ns: what is left of
 * its time. More, if several of its threads ran at once. 0: none, or not known. */
uint64_t waited_ready_ns(const struct waited *waited, uint64_t cpu_ns);
/* Facts that contradict each other, as in a damaged file, are cut to what is possible. */
struct waited waited_of(const struct run_facts *run);

#endif
