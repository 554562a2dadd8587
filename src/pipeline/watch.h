/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A running watch: attaches probes to targets that are resolved already, reads them each interval,
 * gives what there was to a view, and ends by time, signal, the command's end, or by itself when it
 * costs too much.
 */
#ifndef PIPELINE_WATCH_H
#define PIPELINE_WATCH_H

#include <sys/types.h>

#include "base/err.h"
#include "collect/probes.h"
#include "model/watch_result.h"
#include "pipeline/command_outcome.h"

struct watch_options {
	struct probe_options probes; /* its give_up is set by watch_run */
	char *const *argv; /* a command: only it and what it forks is watched; NULL: none */
	double interval_s; /* 0: no ticks */
	double duration_s; /* 0: until a signal or the command's end */
	double budget;	   /* part of one CPU; 0: no limit */
	bool even_slow;	   /* attach also what takes long (--yes) */
	bool as_user;	   /* under sudo: the command as the user who called it */
	/* Told before it begins that attaching will take long; seconds. NULL: nobody is. */
	void (*tell)(void *context, double attach_s, double detach_s);
	/* Told how far something is that takes long, as probe_options.tell. NULL: nobody is. */
	void (*progress)(void *context, const char *act, size_t done, size_t count);
	void *tell_context; /* of both */
	struct watch_view view;
};

struct watch_result {
	enum watch_end end;
	struct command_outcome outcome;
};

/* Watches. Returns 0, also when the command failed or the watch detached by itself, or a negative
 * errno with the reason; *ret_result is set in any case. */
int watch_run(const struct watch_options *options, struct watch_result *ret_result,
	      struct err *err);

#endif
