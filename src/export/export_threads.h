/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The samples of each thread and event on their own, for formats that are about threads. */
#ifndef EXPORT_EXPORT_THREADS_H
#define EXPORT_EXPORT_THREADS_H

#include <stdint.h>

#include "export/formats.h"

struct export_moment {
	uint64_t time_ns; /* 0 with all of them if !data->has_times */
	uint64_t samples, weight;
	uint32_t stack;
	uint32_t thread; /* row of the list */
};

struct export_thread {
	uint32_t process;
	int32_t tid;
	uint32_t task; /* what it was called, for the most part */
	uint8_t event;
	uint64_t task_weight; /* under that name */
	uint64_t samples, weight;
	size_t first, count; /* moments, in order of time */
};

struct export_threads {
	VEC(struct export_thread) list; /* the heaviest of the first event first */
	VEC(struct export_moment) moments;
};

/* The caller frees with export_threads_done. Errors as of data->each. */
int export_threads_gather(const struct export_data *data, struct export_threads *ret_threads,
			  struct export_note *note, struct err *err);
void export_threads_done(struct export_threads *threads);

/* How many events have samples. */
size_t export_threads_events(const struct export_data *data);

#endif
