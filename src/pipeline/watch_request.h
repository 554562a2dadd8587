/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A watch as it is asked for in words, made into one that can run. */
#ifndef PIPELINE_WATCH_REQUEST_H
#define PIPELINE_WATCH_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "model/metric.h"
#include "pipeline/watch.h"
#include "pipeline/watch_targets.h"

/* All is borrowed, as long as the request lives; NULL: not given. */
struct watch_words {
	struct watch_target_options targets; /* pid, exits, jumps, returns, foreign: set here */
	const char *metrics;		     /* NULL: METRIC_DEFAULTS */
	const char *by;			     /* sum, cpu, pid, thread, comm */
	const int32_t *pids;
	size_t pid_count;
	const char *cpus; /* "0-3,8" */
	const char *const *comms;
	size_t comm_count;
	const char *condition, *error_if; /* NULL: none */
	bool values;			  /* the histogram of what is returned */
};

struct watch_request;

/* -EINVAL: something makes no sense; else as watch_targets_new. */
int watch_request_new(const struct watch_words *words, struct watch_request **ret_request,
		      struct err *err);
void watch_request_free(struct watch_request *request); /* NULL is fine */
DEFINE_CLEANUP(struct watch_request *, watch_request_free);

/* For watch_options.probes. Borrowed from @request. */
const struct probe_options *watch_request_probes(const struct watch_request *request);
const struct metric_set *watch_request_metrics(const struct watch_request *request);
/* As watch_targets_note. */
const char *watch_request_note(const struct watch_request *request, size_t index);

/* What is listed in place of watching. */
enum watch_listing {
	WATCH_LISTING_NONE,
	WATCH_LISTING_FUNCTIONS,
	WATCH_LISTING_BLOCKS,
	WATCH_LISTING_CODE,
};

/* Appends the list of what @words name; the first of their processes counts. Errors as
 * watch_targets_new. */
int watch_request_list(const struct watch_words *words, enum watch_listing listing,
		       struct buf *text, struct err *err);

#endif
