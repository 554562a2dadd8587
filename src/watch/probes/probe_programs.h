/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads the programs of bpf/probes.bpf.c. libbpf loads one of each kind. Each mechanism needs
 * programs of its own type, so copies are made when first needed.
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

/* The size of the tables. */
struct probe_room {
	size_t rows, cpus; /* @cpus: CPUs that the kernel may have */
};

/* Loads what the options need. */
int probe_programs_new(const struct probe_options *options, const struct probe_room *room,
		       const struct probe_conditions *conditions,
		       struct probe_programs **ret_programs, struct err *err);
void probe_programs_free(struct probe_programs *programs); /* NULL is fine */
DEFINE_CLEANUP(struct probe_programs *, probe_programs_free);

/* The maps and variables. */
struct probes_bpf *probe_programs_object(const struct probe_programs *programs);
/* A device number from stat(2) as the programs know it. */
uint32_t probe_programs_device(uint64_t device);

/* PROBE_AT_ENTRY_ONLY: the exits of these calls are not probed. PROBE_AT_SPOT: enum probe_spot of
 * bpf/probe_wire.h, only in user programs. */
enum probe_end { PROBE_AT_ENTRY, PROBE_AT_ENTRY_ONLY, PROBE_AT_EXIT, PROBE_AT_SPOT };

/* The program for one end of calls by a mechanism, loaded at the first call; borrowed. @user: for a
 * user program. Not for fentry. Negative errno: this kernel has no such programs. */
int probe_programs_get(struct probe_programs *programs, enum probe_mechanism mechanism, bool user,
		       enum probe_end end);
/* The program for fentry or fexit of a function, found by name in the kernel's types. -ENOENT: it
 * is not described there. Borrowed. */
int probe_programs_get_fentry(struct probe_programs *programs, const char *module,
			      const char *function, enum probe_end end);

/* Attaches the programs that follow threads. Call it before attaching anything else. */
int probe_programs_follow_threads(struct probe_programs *programs, struct err *err);
/* Detaches them. */
void probe_programs_leave_threads(struct probe_programs *programs);

/* Sums over all programs since they were loaded. The kernel keeps them while its statistics are on,
 * as they are from probe_programs_new on. @hits: by mechanism, only at entries and exits. */
struct probe_run_times {
	uint64_t program_ns, missed;
	uint64_t hits[PROBE_MECHANISM_COUNT];
};
void probe_programs_times(const struct probe_programs *programs, struct probe_run_times *ret_times);

#endif
