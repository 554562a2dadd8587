/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the kernel's records to samples. Each record, in order of time, either changes the model of
 * the machine or becomes a sample of its current state. A sample gets its process, thread, image,
 * mode, context and weight here, or a bucket that says what is unknown.
 */
#ifndef ATTRIBUTE_ATTRIBUTE_H
#define ATTRIBUTE_ATTRIBUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "attribute/dispatch.h"
#include "attribute/interrupts_on.h"
#include "model/machine.h"
#include "model/profile.h"

struct attribution;
struct frames;
struct hot_code;
struct image_files;
struct jit;
struct kernel_symbols;
struct stacks;
struct off_cpu_samples;
struct store_writer;
struct who;

/* Everything that attribution needs; all borrowed. @kernel may be NULL until the first drain, in
 * @frames, too. */
struct attribution_parts {
	struct profile *profile;
	struct machine *machine;
	struct image_files *files;
	struct hot_code *hot; /* NULL: no code bytes are kept */
	struct jit *jit;      /* NULL: memory without a file has no names */
	struct kernel_symbols *kernel;
	struct kernel_bytes kernel_bytes; /* zero-initialised: of the running kernel */
	struct record_source source;	  /* its events are in the profile */
	struct store_writer *writer;
	const struct frames *frames;
	struct off_cpu_samples *off_cpu; /* NULL: no --off-cpu */
	struct stacks *stacks;		 /* NULL: no stacks; samples have only their leaf */
	const struct who *only;		 /* keep only their samples; NULL: all */
	uint64_t from_ns, to_ns;	 /* and only those of this time; 0: any */
	/* Prospect is not in the first PID namespace: pid 0 is the idle task and every task of
	 * other namespaces. */
	bool foreign_pid_namespace;
};

struct attribution *attribution_new(const struct attribution_parts *parts);
void attribution_free(struct attribution *attribution);
void attribution_set_kernel(struct attribution *attribution, struct kernel_symbols *kernel);

/* Other times than those of the parts; no sample of the difference came yet. */
void attribution_set_times(struct attribution *attribution, uint64_t from_ns, uint64_t to_ns);

/* A visitor for sampler_drain; @context is the struct attribution. */
void attribution_take(void *context, const struct perf_record *record);

/* A mapping from the /proc scan. */
struct proc_map;
void attribution_map(struct attribution *attribution, int32_t pid, const struct proc_map *map);

struct attribution_counts {
	uint64_t samples;
	uint64_t ring_lost;	     /* records lost, by PERF_RECORD_LOST */
	uint64_t idle_stream_weight; /* ns; of all its ticks, dropped ones included */
};
struct attribution_counts attribution_counts(const struct attribution *attribution);

/* Ends the recording: throttles that are still open end at @end_ns. */
void attribution_finish(struct attribution *attribution, uint64_t end_ns);

#endif
