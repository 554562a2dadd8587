/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The texts of /proc/PID, parsed; no I/O, so that tests and fuzzers can call it with anything.
 * Names in these texts are chosen by whoever runs the process: any byte but NUL may be in them.
 * Formats: proc(5).
 */
#ifndef PROC_PROC_PARSE_H
#define PROC_PROC_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An executable mapping as /proc/PID/maps has it. */
struct proc_map {
	uint64_t start, end, offset;
	uint64_t dev; /* makedev() */
	uint64_t inode;
	const char *path; /* without " (deleted)"; "" for anonymous memory */
	bool deleted;
};

/* What stat tells. */
struct proc_stat {
	int32_t pid, parent_pid;
	uint64_t start_ticks; /* clock ticks since boot */
	uint32_t thread_count;
	bool kernel_thread; /* PF_KTHREAD in the flags */
	char comm[64];	    /* kworkers without what they work on */
};

/* @text: the whole of stat. Returns 0, or -EINVAL and leaves *ret_stat alone. */
int proc_parse_stat(const char *text, struct proc_stat *ret_stat);

/* One line of maps without its newline. path is borrowed from @line, which is changed. Returns 0,
 * -ENOENT for a mapping that is not executable, -EINVAL for no such line. */
int proc_parse_map(char *line, struct proc_map *ret_map);

/* The path worth showing: the unified hierarchy's; where that is missing or only "/" (controllers
 * of version 1), the first named hierarchy's, then the first controller's that is more than "/".
 * "" when there is none. Cut to @size (> 0) bytes with the NUL. */
void proc_parse_cgroup(const char *text, char *ret_path, size_t size);

/* The basename of the script that an interpreter was started for; "" when it is none. @cmdline:
 * @size bytes, NUL-separated; @comm as in stat; @executable: path. The kernel names a process after
 * the script (cut at 15 characters) and passes the script's path behind the interpreter's words. */
void proc_parse_script(const char *cmdline, size_t size, const char *comm, const char *executable,
		       char *ret_script, size_t script_size);

/* False when comm and executable alone rule a script out, so that cmdline need not be read. */
bool proc_parse_may_be_script(const char *comm, const char *executable);

/* Drops a trailing " (deleted)". Returns whether it was there. */
bool proc_parse_deleted(char *path);

#endif
