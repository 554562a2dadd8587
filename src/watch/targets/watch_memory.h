/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function's code in its file and in memory: they differ by probes, patches, and the kernel's own
 * changes at boot. */
#ifndef WATCH_TARGETS_WATCH_MEMORY_H
#define WATCH_TARGETS_WATCH_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "watch/targets/watch_sources.h"

struct code_bytes_of {
	uint8_t *bytes; /* owned */
	uint64_t start; /* address of the first byte; the same on both sides */
	size_t size;
};

struct watch_code {
	bool has;
	struct code_bytes_of bytes;
	struct code_blocks blocks;
};

struct watch_memory {
	struct watch_code original; /* from the file */
	struct watch_code now;	    /* from process or kernel memory */
	const char *note;	    /* which sides there are, and why one is missing; constant */
};

/* @pid: the process whose memory to read; 0: none. Kernel functions are only read from memory. The
 * caller always calls watch_memory_done. */
int watch_memory_read(struct watch_sources *sources, const struct watch_candidate *candidate,
		      int32_t pid, struct watch_memory *ret_memory, struct err *err);
void watch_memory_done(struct watch_memory *memory);

#endif
