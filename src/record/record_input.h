/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording takes in: the sampler's records (of its own threads, or of the whole machine),
 * and what /proc says: everything at the start, uid and cgroup of processes born since, and
 * everything again after the kernel dropped records.
 */
#ifndef RECORD_RECORD_INPUT_H
#define RECORD_RECORD_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attribute/attribute.h"
#include "base/err.h"
#include "model/machine.h"
#include "model/who.h"
#include "sampling/sampler.h"

struct pids;
struct record_options;

/* Opens the events of -e (and @waits) for what is chosen, or the whole machine, on the best rung that
 * our privileges permit. @chosen: what runs now, or the waiting command; @pids: the processes of what
 * -p and its like chose.
 * Processes that start later can be chosen only on the rung of the machine. One line in @err says
 * what is missing. The caller frees *@ret_sampler. */
int record_input_open(const struct record_options *options, const struct who_tasks *chosen,
		      const struct pids *pids, enum sampler_waits waits,
		      struct sampler **ret_sampler, struct err *err);

/* The caller sets what is borrowed; the rest is zero. */
struct record_input {
	/* Borrowed; @attribution after record_input_source. */
	const struct record_options *options;
	const struct pids *pids; /* of what is chosen, and there at the start */
	struct who_tasks chosen; /* likewise */
	const struct sampler *sampler;
	struct profile *profile;
	struct machine *machine;
	struct attribution *attribution;
	struct foreign *foreign; /* reads what may block */
	pid_t command;		 /* to scan when not recording the whole machine; -1: none */
	uint64_t late;		 /* processes whose mappings could not be read in time */
	/* Private: the sampler's events in profile.events. */
	int clock_event;
	int named_events[SAMPLER_MAX_EVENTS]; /* by the sampler's index; or RECORD_NO_EVENT */
	bool is_time[SAMPLER_MAX_EVENTS];
	/* Private: /proc. */
	bool filled;	  /* from now on records report changes, and a scan corrects */
	size_t looked_up; /* processes whose uid and cgroup were read or inherited */
	uint64_t next_rescan_ns, tracking_lost_seen;
	uint64_t ring_lost_seen; /* attribution's count, at the last check */
};

/* Adds the sampler's events to the profile, which has none yet; the clock is event 0. Returns the
 * source of its records, which borrows @input. */
struct record_source record_input_source(struct record_input *input);

/* True if the samples of the whole machine are those of chosen processes and of others. */
bool record_input_selects(const struct record_input *input);
/* True if all chosen processes and threads have ended, and no other can be chosen. */
bool record_input_gone(const struct record_input *input);

/* The first scan: fills the model. Errors: those of proc_scan. */
int record_input_fill(struct record_input *input, struct err *err);
/* Reads /proc again, but not often, if the kernel dropped records that may have been about
 * processes and mappings. */
void record_input_rescan(struct record_input *input, uint64_t now_ns);
/* A process born during the recording has got its parent's uid and cgroup. Reads its own, if it lives:
 * call this once for each. */
void record_input_read_owner(struct machine *machine, struct foreign *foreign,
			     const struct process *process);
/* Does so for processes that came since the last call, and chooses among them. */
void record_input_refresh(struct record_input *input);
/* True if processes were chosen that neither ran at the start nor were started by those that did. */
bool record_input_chose_later(const struct record_input *input);

#endif
