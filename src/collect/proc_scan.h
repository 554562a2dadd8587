/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What /proc says of processes: one scan of all of them at the start, and single ones later. Only
 * reading and parsing; what becomes of it is the caller's business. Formats: proc(5).
 */
#ifndef COLLECT_PROC_SCAN_H
#define COLLECT_PROC_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* An executable mapping as /proc/PID/maps has it. */
struct proc_map {
	uint64_t start, end, offset;
	uint64_t dev; /* makedev() */
	uint64_t inode;
	const char *path; /* without " (deleted)"; "" for anonymous memory */
	bool deleted;
};

struct proc_info {
	int32_t pid, parent_pid;
	uint64_t start_ns;     /* CLOCK_MONOTONIC, from starttime (clock ticks since boot,
				  CLOCK_BOOTTIME) */
	uint32_t uid;	       /* effective */
	bool kernel_thread;    /* PF_KTHREAD in the flags of stat */
	char comm[64];	       /* kworkers without what they work on */
	char executable[4096]; /* "" when there is none or it may not be read; no " (deleted)" */
	char script[256];      /* basename of the script an interpreter was started for; "" none */
	char cgroup[1024]; /* unified hierarchy's path, else the first named one's; "" unknown */
};

/* The visitor's calls for one process come together: process, its threads, its maps. Texts are
 * borrowed for the call. Any member may be NULL. */
struct proc_visitor {
	void (*process)(void *context, const struct proc_info *info);
	void (*thread)(void *context, int32_t pid, int32_t tid, const char *comm);
	void (*map)(void *context, int32_t pid, const struct proc_map *map);
	void *context;
};

/* Visits every process of /proc. Processes that vanish meanwhile are left out, or have what could
 * be read. Returns 0, or -errno when /proc itself cannot be read. */
int proc_scan_all(const struct proc_visitor *visitor, struct err *err);
/* One process. -ESRCH: no such process. */
int proc_scan_one(int32_t pid, const struct proc_visitor *visitor, struct err *err);
/* The threads of a process. @tids is appended to as int32_t. -ESRCH: no such process. */
int proc_scan_tids(int32_t pid, struct buf *tids);

/* Pure parsers, for tests and fuzzers. Each returns 0 or -EINVAL and leaves *ret alone then. */
int proc_parse_stat(const char *text, struct proc_info *ret_info);
/* One line of maps; -ENOENT for a line that is not executable. path is borrowed from @line, which
 * is changed. */
int proc_parse_map(char *line, struct proc_map *ret_map);
void proc_parse_cgroup(const char *text, char *ret_path, size_t size);
/* @cmdline: NUL-separated; @comm: as in stat; @executable: path. Finds the script by comparing the
 * basenames of the first arguments behind argv[0] with comm (which is cut at 15 characters). */
void proc_find_script(const char *cmdline, size_t size, const char *comm, const char *executable,
		      char *ret_script, size_t script_size);

#endif
