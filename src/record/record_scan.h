/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording takes from /proc: all that is there at the start, what processes born since made
 * of themselves, and everything anew after the kernel dropped records. */
#ifndef RECORD_RECORD_SCAN_H
#define RECORD_RECORD_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attribute/attribute.h"
#include "base/err.h"
#include "model/machine.h"

/* Everything but `late` and the private part is borrowed, and the caller's to fill in. */
struct record_scan {
	struct machine *machine;
	struct attribution *attribution;
	const struct sampler *sampler;
	const struct profile *profile;
	pid_t command; /* what is looked at where not the whole machine is; -1: none */
	const pid_t *pids;
	size_t pid_count;
	struct foreign *foreign; /* reads what may block */
	uint64_t late;		 /* processes whose mappings were not to be had in time */
	/* Private. */
	bool filled;	  /* from now on records tell, and a scan corrects */
	size_t looked_up; /* processes whose uid and cgroup were read, or that were inherited */
	uint64_t next_mend_ns, tracking_lost_seen;
	uint64_t ring_lost_seen; /* of attribution's count, at the last look */
};

/* The first scan: fills the model. Errors of proc_scan. */
int record_scan_fill(struct record_scan *scan, struct err *err);
/* Records that the kernel dropped may have told of processes and mappings: then /proc is asked
 * again, but seldom. */
void record_scan_mend(struct record_scan *scan, uint64_t now_ns);
/* uid and cgroup of processes that came since the last call. */
void record_scan_refresh(struct record_scan *scan);

#endif
