/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parsers for the files of /proc/PID. They do no I/O, so tests and fuzzers can call them. The owner
 * of a process chooses the names in these files; they may contain any byte but NUL. Formats:
 * proc(5).
 */
#ifndef PROC_PROC_PARSE_H
#define PROC_PROC_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An executable mapping from /proc/PID/maps. */
struct proc_map {
	uint64_t start, end, offset;
	uint64_t dev; /* makedev() */
	uint64_t inode;
	const char *path; /* without " (deleted)"; "" for anonymous memory */
	bool deleted;
};

enum { PROC_COMM_CUT = 15 }; /* the kernel's TASK_COMM_LEN without the NUL */

/* From /proc/PID/stat. */
struct proc_stat {
	int32_t pid, parent_pid;
	uint64_t start_ticks; /* clock ticks since boot */
	uint32_t thread_count;
	bool kernel_thread; /* PF_KTHREAD in the flags */
	char comm[64];	    /* kworkers without their current work */
};

/* @text: the whole of stat. 0, or -EINVAL with *ret_stat unchanged. */
int proc_parse_stat(const char *text, struct proc_stat *ret_stat);

/* One line of maps without its newline. The path is borrowed from @line, which is modified. 0,
 * -ENOENT for a mapping that is not executable, -EINVAL for a malformed line. */
int proc_parse_map(char *line, struct proc_map *ret_map);

/* The most informative path: that of the unified hierarchy. If that is missing or "/" (version 1
 * controllers), the first path other than "/" of a named hierarchy, else of a controller. "/" if
 * there is no other path, "" if there is none. Truncated to @size (> 0) bytes including the NUL. */
void proc_parse_cgroup(const char *text, char *ret_path, size_t size);

/* The basename of the script that an interpreter runs; "" if the process is not a script. @cmdline:
 * @size bytes, NUL-separated; @comm as in stat; @executable: path. The kernel names a process after
 * the script (truncated to 15 characters) and passes the script's path after the interpreter and
 * its argument. */
void proc_parse_script(const char *cmdline, size_t size, const char *comm, const char *executable,
		       char *ret_script, size_t script_size);

/* False if comm and executable alone rule out a script and a link, so that cmdline need not be read. */
bool proc_parse_may_be_script(const char *comm, const char *executable);

/* Removes a trailing " (deleted)". True if it was there. */
bool proc_parse_deleted(char *path);

#endif
