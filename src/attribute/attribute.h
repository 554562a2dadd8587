/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the kernel's records to samples: each record, in order of time, either changes the model of
 * the machine or is a sample of it as it is at that moment. This is where a sample gets its
 * process, thread, image, mode, context and weight, or the honest bucket.
 */
#ifndef ATTRIBUTE_ATTRIBUTE_H
#define ATTRIBUTE_ATTRIBUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "attribute/record_source.h"
#include "model/machine.h"
#include "model/profile.h"

struct attribution;
struct frames;
struct hot_code;
struct image_files;
struct jit;
struct kernel_symbols;
struct stacks;
struct waiting;
struct store_writer;

/* What attribution works on; all borrowed. @kernel may be NULL until the first drain, also in
 * @frames. */
struct attribution_parts {
	struct profile *profile;
	struct machine *machine;
	struct image_files *files;
	struct hot_code *hot; /* NULL: no bytes are to be kept */
	struct jit *jit;      /* NULL: memory that is no file has no names */
	struct kernel_symbols *kernel;
	struct record_source source; /* its events are in the profile */
	struct store_writer *writer;
	const struct frames *frames;
	struct waiting *waiting; /* NULL: --off-cpu was not asked for */
	struct stacks *stacks; /* NULL: stacks were not asked for, samples have their leaf alone */
	/* We are not in the first PID namespace: pid 0 is the idle task, and every task of another
	 * one. */
	bool foreign_pid_namespace;
};

struct attribution *attribution_new(const struct attribution_parts *parts);
void attribution_free(struct attribution *attribution);
void attribution_set_kernel(struct attribution *attribution, struct kernel_symbols *kernel);

/* The visitor for sampler_drain. @context is the struct attribution. */
void attribution_take(void *context, const struct perf_record *record);

/* A mapping of the /proc scan. */
struct proc_map;
void attribution_map(struct attribution *attribution, int32_t pid, const struct proc_map *map);

struct attribution_counts {
	uint64_t samples;
	uint64_t ring_lost;	     /* records that PERF_RECORD_LOST told of */
	uint64_t idle_stream_weight; /* ns; of all its ticks, also of those that are not kept */
};
struct attribution_counts attribution_counts(const struct attribution *attribution);

/* The end: throttles that are still open last until @end_ns. */
void attribution_finish(struct attribution *attribution, uint64_t end_ns);

#endif
