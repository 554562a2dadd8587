/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where each record goes, live or from a recording of perf: one table by its type. What is the same
 * for all is done here: threads end, losses are counted, throttles are kept until they end. What
 * differs is a hook of the caller.
 */
#ifndef ATTRIBUTE_DISPATCH_H
#define ATTRIBUTE_DISPATCH_H

#include <stdbool.h>

#include "attribute/record_losses.h"
#include "attribute/record_source.h"
#include "model/machine.h"
#include "model/profile.h"
#include "perf/perf_record.h"

/* Each may be NULL: then nothing is done, but for names and forks, which go to the machine as they
 * are. @context is that of the dispatcher. An int is 0, or a negative errno that dispatch_take
 * returns. */
struct dispatch_hooks {
	/* Sees each record before anything is done with it; false: it is passed over. */
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

/* Zero-initialised but for what is borrowed. */
struct dispatch {
	struct profile *profile; /* borrowed, like the rest but the losses */
	struct machine *machine;
	struct record_source source;
	const struct dispatch_hooks *hooks;
	void *context; /* of the hooks */
	struct record_losses losses;
};

void dispatch_done(struct dispatch *dispatch);

/* The next record, in order of time. Types without a row in the table are passed over. Always 0
 * when no hook fails. */
int dispatch_take(struct dispatch *dispatch, const struct perf_record *record);

#endif
