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

struct history_options;

/* What it said last. */
struct recorder_state {
	bool ready; /* it records, or waits for its time ready to record */
	uint64_t samples, lost;
	char error[sizeof(((struct err *)NULL)->text)]; /* why it failed; "": it has not */
};

/* Zero-initialised: there is none. */
struct recorder {
	pid_t pid;
	int said; /* to read from; non-blocking */
	uint64_t from_ns, to_ns;
	char name[SEGMENT_NAME_MAX];
	struct recorder_state state;
};

/* Starts one that keeps samples from @from_ns to @to_ns, by clock_ns(), in the file recorder->name of
 * the folder. It ends at @to_ns, at SIGTERM, and with us; its profile is complete then. */
int recorder_start(struct recorder *recorder, const struct history_options *options,
		   const char *folder, struct err *err);
/* Reads what it said since. */
void recorder_hear(struct recorder *recorder);
/* After it was reaped. */
void recorder_done(struct recorder *recorder);

#endif
