/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs of bpf/probes.bpf.c, loaded: one of each kind by libbpf, from which copies are made
 * as each way to attach wants programs of its own type. Copies are made when they are first wanted.
 */
#ifndef WATCH_PROBES_PROBE_PROGRAMS_H
#define WATCH_PROBES_PROBE_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "watch/probes/probe_conditions.h"
#include "watch/probes/probes.h"

struct probe_programs;
struct probes_bpf;

/* How much room the tables have. */
struct probe_room {
	size_t rows, cpus; /* @cpus: that the kernel may have */
};

/* Loads what the options need. */
int probe_programs_new(const struct probe_options *options, const struct probe_room *room,
		       const struct probe_conditions *conditions,
		       struct probe_programs **ret_programs, struct err *err);
void probe_programs_free(struct probe_programs *programs); /* NULL is fine */
DEFINE_CLEANUP(struct probe_programs *, probe_programs_free);

/* The maps and variables. */
struct probes_bpf *probe_programs_object(const struct probe_programs *programs);

/* PROBE_AT_SPOT: enum probe_spot of bpf/probe_wire.h, of programs only. */
enum probe_end { PROBE_AT_ENTRY, PROBE_AT_ENTRY_ONLY, PROBE_AT_EXIT, PROBE_AT_SPOT };

/* PROBE_AT_ENTRY_ONLY: no exit of these calls will be seen. The program for one end of calls by a
 * mechanism, loaded at the first call; borrowed. @user: of a program. Not for fentry. Negative
 * errno: this kernel has no such programs. */
int probe_programs_get(struct probe_programs *programs, enum probe_mechanism mechanism, bool user,
		       enum probe_end end);
/* One for fentry or fexit of a function, which is found in the kernel's types by its name.
 * -ENOENT: it is not described there. Borrowed. */
int probe_programs_get_fentry(struct probe_programs *programs, const char *module,
			      const char *function, enum probe_end end);

/* Attaches what follows threads; before anything else is. */
int probe_programs_follow_threads(struct probe_programs *programs, struct err *err);
/* Detaches that. */
void probe_programs_leave_threads(struct probe_programs *programs);

/* The sums over all programs since they were loaded, as the kernel keeps them while statistics are
 * on (they are, from probe_programs_new on). @hits: of those at entries and exits only, by user
 * and kernel. */
struct probe_run_times {
	uint64_t program_ns, missed;
	uint64_t hits[PROBE_MECHANISM_COUNT];
};
void probe_programs_times(const struct probe_programs *programs, struct probe_run_times *ret_times);

/* A program that does nothing, to try things with. @function: of the kernel's types, which the
 * program is for (fentry); 0: it is a kprobe's or uprobe's. A descriptor to close, or a negative
 * errno. */
int probe_programs_load_empty(int attach_type, uint32_t function);

#endif
