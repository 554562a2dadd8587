/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of preloaded processes and threads. Those of another PID namespace say nothing here, and may be the same
 * as others. They become PRELOAD_PIDS_STEP times the number of the namespace, the first one being 1, plus what they
 * are there.
 */
#ifndef RECORD_PRELOAD_PIDS_H
#define RECORD_PRELOAD_PIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PRELOAD_PIDS_STEP = 10000000, /* above the kernel's PID_MAX_LIMIT, which is 2^22 */
	PRELOAD_PIDS_MOST = 213,      /* namespaces that are kept apart */
};

/* Zero-initialised is empty. */
struct preload_pids {
	uint32_t namespaces[PRELOAD_PIDS_MOST];
	uint32_t count;
};

/* @pid of @pid_namespace; PRELOAD_OURS (preload_memory.h) and pids that are no numbers stay as they are. */
int32_t preload_pids_number(struct preload_pids *pids, uint32_t pid_namespace, int32_t pid);
/* True if it is a number of our own namespace, by which the system knows the process. */
bool preload_pids_is_ours(int32_t pid);

/* Changes the numbers of processes and threads in a record of the preloaded library. */
void preload_pids_translate(struct preload_pids *pids, uint32_t pid_namespace, void *record,
			    size_t size);

#endif
