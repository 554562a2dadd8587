/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of threads and their programs, also after they end. A thread may rename itself
 * (prctl(2), PR_SET_NAME) at any time, and its /proc entry vanishes when it ends. So each thread
 * has a perf event that counts nothing and reports its names (PERF_RECORD_COMM). Without memory for
 * the event's buffer, the name is that of the last refresh from /proc.
 */
#ifndef PROC_THREAD_NAMES_H
#define PROC_THREAD_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "model/counts.h"

struct foreign;
struct thread_names;

/* Thread @tids[i] belongs to process @pids[i]. Both are copied. @foreign as for
 * thread_facts_program, borrowed. Never NULL. */
struct thread_names *thread_names_new(struct foreign *foreign, const pid_t *tids, const pid_t *pids,
				      size_t count);
void thread_names_free(struct thread_names *names); /* NULL is fine */

/* Updates the names. Call it several times a second, and before reading names. */
void thread_names_refresh(struct thread_names *names);

/* The name of thread @index at the last refresh. "[not known]" if it ended before the first. */
const char *thread_names_comm(const struct thread_names *names, size_t index);
const char *thread_names_program(const struct thread_names *names, size_t index);

/* A number from /proc/TID/status: "Tgid", "PPid". 0 if unknown. */
pid_t thread_facts_number(pid_t tid, const char *name);
/* True if the thread runs, or could. */
bool thread_facts_runs(pid_t tid);
/* The thread's name; @ret_comm is unchanged if the thread has ended. */
void thread_facts_comm(pid_t tid, char *ret_comm, size_t size);
#define THREAD_FACTS_NOT_KNOWN "[not known]"
/* The path given to the process's last exec. If its memory cannot be read, or it has another word
 * size, the file that it executes. False, with THREAD_FACTS_NOT_KNOWN, if it has ended. @foreign:
 * reads the process's memory, which may be locked while it waits for a file; NULL: read directly.
 */
bool thread_facts_program(struct foreign *foreign, pid_t pid, char *ret_program, size_t size);

#endif
