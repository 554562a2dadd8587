/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads processes from /proc: all of them at the start, single ones later. Only reads; the caller
 * decides what to do with the results.
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
	uint64_t start_ns;     /* CLOCK_MONOTONIC, to a clock tick; 0 if before that clock began */
	uint32_t uid;	       /* effective */
	bool kernel_thread;    /* PF_KTHREAD in the flags of stat */
	char comm[64];	       /* kworkers without their current work */
	char executable[4096]; /* "" if none or not readable; no " (deleted)" */
	char script[256];      /* basename of the script an interpreter runs; "" none */
	char link
		[256]; /* name of the link by which it was started, if proven; "" none, or a script */
	char cgroup[1024]; /* see proc_parse_cgroup; "" unknown */
};

/* The calls for one process come together: process, its threads (including the main one), its
 * executable mappings. Texts are borrowed for the call. Any member may be NULL; what no member
 * needs is not read. If the process's memory is locked while it waits for a file system, mappings,
 * script and link cannot be read, and `late` is called instead. */
struct proc_visitor {
	void (*process)(void *context, const struct proc_info *info);
	void (*thread)(void *context, int32_t pid, int32_t tid, const char *comm);
	void (*map)(void *context, int32_t pid, const struct proc_map *map);
	void (*late)(void *context, int32_t pid);
	void *context;
	struct foreign *foreign; /* reads what may block, borrowed; NULL: read directly */
};

/* Visits every process in /proc. A process that ends meanwhile is left out, or reported as far as
 * it could be read. 0, or -errno if /proc itself cannot be read. */
int proc_scan_all(const struct proc_visitor *visitor, struct err *err);
/* One process. -ESRCH: no such process. */
int proc_scan_one(int32_t pid, const struct proc_visitor *visitor, struct err *err);
/* True if we are in the first PID namespace, or if that cannot be determined. In others, foreign
 * processes have no pids that we could see. */
bool proc_scan_sees_all_pids(void);
/* True if we may read which files processes of other users have mapped. Tried with the first
 * process, because root in a container may lack the right to read that one alone. */
bool proc_scan_sees_other_users(void);
/* Appends the threads of a process to @tids as int32_t. -ESRCH: no such process. */
int proc_scan_tids(int32_t pid, struct buf *tids);

#endif
