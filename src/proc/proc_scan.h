/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What /proc says of processes: one scan of all of them at the start, and single ones later. Only
 * reading; what becomes of it is the caller's business.
 */
#ifndef PROC_PROC_SCAN_H
#define PROC_PROC_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "foreign/foreign.h"
#include "proc/proc_parse.h"

struct proc_info {
	int32_t pid, parent_pid;
	uint64_t start_ns;  /* CLOCK_MONOTONIC; 0 when it was before that clock's start. As coarse
			       as a clock tick */
	uint32_t uid;	    /* effective */
	bool kernel_thread; /* PF_KTHREAD in the flags of stat */
	char comm[64];	    /* kworkers without what they work on */
	char executable[4096]; /* "" when there is none or it may not be read; no " (deleted)" */
	char script[256];      /* basename of the script an interpreter was started for; "" none */
	char cgroup[1024];     /* see proc_parse_cgroup; "" unknown */
};

/* The visitor's calls for one process come together: process, its threads (the main one too), its
 * executable mappings. Texts are borrowed for the call. Any member may be NULL; what nobody asks
 * for is not read. Of a process whose memory is locked while it waits for a file system the mappings
 * and the script are not to be had: `late` is called instead. */
struct proc_visitor {
	void (*process)(void *context, const struct proc_info *info);
	void (*thread)(void *context, int32_t pid, int32_t tid, const char *comm);
	void (*map)(void *context, int32_t pid, const struct proc_map *map);
	void (*late)(void *context, int32_t pid);
	void *context;
	struct foreign *foreign; /* reads what may block, borrowed; NULL: it is read here */
};

/* Visits every process of /proc. Processes that vanish meanwhile are left out, or have what could
 * be read. Returns 0, or -errno when /proc itself cannot be read. */
int proc_scan_all(const struct proc_visitor *visitor, struct err *err);
/* One process. -ESRCH: no such process. */
int proc_scan_one(int32_t pid, const struct proc_visitor *visitor, struct err *err);
/* Are we in the first PID namespace? Elsewhere processes of others have no pids for us. True when
 * it cannot be found out. */
bool proc_scan_sees_all_pids(void);
/* The threads of a process. @tids is appended to as int32_t. -ESRCH: no such process. */
int proc_scan_tids(int32_t pid, struct buf *tids);

#endif
