/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dispatches records, live ones and those of perf's recordings, by type. What is common to both is
 * done here: ending threads, counting losses, tracking throttles until they end. What differs is a
 * hook of the caller.
 */
#ifndef ATTRIBUTE_DISPATCH_H
#define ATTRIBUTE_DISPATCH_H

#include <stdbool.h>

#include "attribute/record_losses.h"
#include "attribute/record_source.h"
#include "model/machine.h"
#include "model/profile.h"
#include "perf/perf_record.h"

/* A hook may be NULL: then nothing is done, but names and forks change the machine as they are.
 * @context is the dispatcher's. An int is 0, or a negative errno that dispatch_take returns. */
struct dispatch_hooks {
	/* Sees each record first; false: the record is skipped. */
	bool (*admit)(void *context, const struct perf_record *record);
	int (*sample)(void *context, const struct perf_record *record,
		      const struct record_origin *origin);
	int (*map)(void *context, const struct perf_record *record);
	void (*comm)(void *context, const struct perf_record *record);
	void (*fork)(void *context, const struct perf_record *record);
	/* The thread is about to end in the machine. */
	void (*leave)(void *context, const struct perf_record *record);
	void (*ksymbol)(void *context, const struct perf_record *record);
	void (*cgroup)(void *context, const struct perf_record *record);
};

/* Zero-initialised, except for what is borrowed. */
struct dispatch {
	struct profile *profile; /* borrowed, like everything but the losses */
	struct machine *machine;
	struct record_source source;
	const struct dispatch_hooks *hooks;
	void *context; /* of the hooks */
	struct record_losses losses;
};

void dispatch_done(struct dispatch *dispatch);

/* Takes the next record, in order of time. Types that are not in the table are skipped. Returns 0
 * unless a hook fails. */
int dispatch_take(struct dispatch *dispatch, const struct perf_record *record);

#endif
