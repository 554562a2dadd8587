/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function's code as it was made and as it is in memory now: probes, patches and what the kernel
 * changes in itself at boot show in the difference. */
#ifndef WATCH_TARGETS_WATCH_MEMORY_H
#define WATCH_TARGETS_WATCH_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "watch/targets/watch_sources.h"

struct code_bytes_of {
	uint8_t *bytes; /* owned */
	uint64_t start; /* address of the first; the same on both sides */
	size_t size;
};

struct watch_code {
	bool has;
	struct code_bytes_of bytes;
	struct code_blocks blocks;
};

struct watch_memory {
	struct watch_code original; /* of a file */
	struct watch_code now;	    /* of a process, or of the kernel */
	const char *note;	    /* which of them there are, and why not both; constant */
};

/* @pid: whose memory; 0: nobody's. Of the kernel's functions only what is in memory now is read. */
int watch_memory_read(struct watch_sources *sources, const struct watch_candidate *candidate,
		      int32_t pid, struct watch_memory *ret_memory, struct err *err);
void watch_memory_done(struct watch_memory *memory);

#endif
