/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording without any privilege: the command and what it executes load a library (preload/), whose
 * timers and signals take the samples. What is written, and the result, are those of any other recording.
 */
#ifndef RECORD_PRELOAD_RUN_H
#define RECORD_PRELOAD_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "preload/preload_wire.h"
#include "record/record.h"

/* Of the environment. Borrowed. */
struct preload_variables {
	const char *preload; /* LD_PRELOAD: the library, and what was there before */
	const char *memory;  /* PRELOAD_VARIABLE */
};

struct preload_options {
	char *const *argv; /* the command, NULL-terminated; NULL: what a shell executes */
	double rate_hz;	   /* of CPU time of each thread */
	enum preload_clock clock;
	const char *output;		  /* as in struct record_options */
	const char *const *debug_folders; /* likewise */
	size_t debug_folder_count;
	/* Without a command. What has the variables in its environment is profiled, until a signal
	 * arrives or the process @shell ends. @ready is called once, when that can begin. */
	pid_t shell;
	void (*ready)(void *context, const struct preload_variables *variables);
	void *context;
};

/* True if this user may sample not even what he starts: the kernel or a filter of system calls refuses
 * perf events. */
bool preload_is_needed(void);

/* As record_run. */
int preload_run(const struct preload_options *options, struct record_result *ret_result,
		struct err *err);

#endif
