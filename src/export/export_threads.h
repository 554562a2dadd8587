/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The samples of each thread and event, for formats that consist of threads. */
#ifndef EXPORT_EXPORT_THREADS_H
#define EXPORT_EXPORT_THREADS_H

#include <stdint.h>

#include "export/formats.h"

struct export_moment {
	uint64_t time_ns; /* all 0 if !data->has_times */
	uint64_t samples, weight;
	uint32_t stack;
	uint32_t thread; /* row of the list */
};

struct export_thread {
	uint32_t process;
	int32_t tid;
	uint32_t task; /* the task with most of its weight */
	uint8_t event;
	uint64_t task_weight; /* weight of that task */
	uint64_t samples, weight;
	size_t first, count; /* its moments, in order of time */
};

struct export_threads {
	VEC(struct export_thread) list; /* by event, then the heaviest first */
	VEC(struct export_moment) moments;
};

/* Free with export_threads_done. Errors as of data->each. */
int export_threads_gather(const struct export_data *data, struct export_threads *ret_threads,
			  struct export_note *note, struct err *err);
void export_threads_done(struct export_threads *threads);

/* Number of events that have samples. */
size_t export_threads_events(const struct export_data *data);

#endif
