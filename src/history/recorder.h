/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child that records one segment. */
#ifndef HISTORY_RECORDER_H
#define HISTORY_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "history/segments.h"
#include "record/record.h"

struct history_options;

/* What it said last. */
struct recorder_state {
	bool ready; /* it records, or waits for its time ready to record */
	uint64_t samples, lost;
	uint64_t flushed_ns; /* all samples before, by clock_ns(), are in its file */
	uint64_t marks;	     /* in its file */
	uint64_t flushes;    /* that were tried */
	char error[sizeof(((struct err *)NULL)->text)]; /* why it, or its last flush, failed; "" */
};

/* Zero-initialised: there is none. */
struct recorder {
	pid_t pid;
	int talk; /* the socket to it; non-blocking */
	uint64_t from_ns, to_ns;
	uint64_t marks_settled;	 /* history/sent_marks.h */
	uint64_t flushes_before; /* state.flushes when one was asked for */
	char name[SEGMENT_NAME_MAX];
	struct recorder_state state;
};

/* Starts one that keeps samples from @from_ns to @to_ns, by clock_ns(), in the file recorder->name of
 * the folder. It ends at @to_ns, at SIGTERM, and with us; its profile is complete then. */
int recorder_start(struct recorder *recorder, const struct history_options *options,
		   const char *folder, struct err *err);
/* False: there is none, it has ended, or has too much to read. */
bool recorder_tell(const struct recorder *recorder, const struct record_order *order);
/* Reads what it said since. */
void recorder_hear(struct recorder *recorder);
/* After it was reaped. */
void recorder_done(struct recorder *recorder);

#endif
