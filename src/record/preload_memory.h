/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory into which preloaded processes write (preload/preload_wire.h): makes it, and takes their
 * records out. They can write anything there at any time, so every record is copied and checked before
 * it is used.
 */
#ifndef RECORD_PRELOAD_MEMORY_H
#define RECORD_PRELOAD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "preload/preload_wire.h"

struct preload_memory;

/* Makes the file, in a folder that is memory if there is one. Negative errno and one line. */
int preload_memory_new(uint64_t period_ns, enum preload_clock clock,
		       struct preload_memory **ret_memory, struct err *err);
/* Removes the file. Processes that still have it mapped find that nothing is to be written any more. */
void preload_memory_free(struct preload_memory *memory); /* NULL is fine */
/* Borrowed. */
const char *preload_memory_path(const struct preload_memory *memory);

enum { PRELOAD_OURS = 0 }; /* a PID namespace: that of the caller */

/* Called with each record. @bytes has @size bytes, 8-byte aligned, and begins with a header of that size; it is
 * valid during the call, and may be changed. Its processes and threads have the numbers that they have in
 * @pid_namespace. */
typedef void preload_take(void *context, uint32_t pid_namespace, void *bytes, size_t size);

/* Passes all records that are whole to @take, those of one chunk in their order. */
void preload_memory_drain(struct preload_memory *memory, preload_take *take, void *context);

struct preload_memory_counts {
	uint64_t malformed;	  /* records, each with the rest of its chunk */
	uint64_t dropped;	  /* samples, and */
	uint64_t dropped_ns;	  /* the time that they stood for */
	uint64_t dropped_records; /* of processes, threads and mappings */
	uint64_t untimed_threads;
	uint64_t stopped_ns; /* CPU time in which programs wanted no samples */
};
struct preload_memory_counts preload_memory_counts(const struct preload_memory *memory);

#endif
