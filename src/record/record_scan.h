/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording reads from /proc: everything at the start, uid and cgroup of processes born
 * since, and everything again after the kernel dropped records. */
#ifndef RECORD_RECORD_SCAN_H
#define RECORD_RECORD_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attribute/attribute.h"
#include "base/err.h"
#include "model/machine.h"

/* Everything is borrowed, and the caller sets it, except `late` and the private part. */
struct record_scan {
	struct machine *machine;
	struct attribution *attribution;
	const struct sampler *sampler;
	const struct profile *profile;
	pid_t command; /* to scan when not recording the whole machine; -1: none */
	const pid_t *pids;
	size_t pid_count;
	struct foreign *foreign; /* reads what may block */
	uint64_t late;		 /* processes whose mappings could not be read in time */
	/* Private. */
	bool filled;	  /* from now on records report changes, and a scan corrects */
	size_t looked_up; /* processes whose uid and cgroup were read or inherited */
	uint64_t next_mend_ns, tracking_lost_seen;
	uint64_t ring_lost_seen; /* attribution's count, at the last check */
};

/* The first scan: fills the model. Errors: those of proc_scan. */
int record_scan_fill(struct record_scan *scan, struct err *err);
/* Reads /proc again, but not often, if the kernel dropped records that may have been about
 * processes and mappings. */
void record_scan_mend(struct record_scan *scan, uint64_t now_ns);
/* Reads uid and cgroup of processes that came since the last call. */
void record_scan_refresh(struct record_scan *scan);

#endif
