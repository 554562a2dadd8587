/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What threads and their programs are called, also after they have ended. Threads rename
 * themselves (prctl(2), PR_SET_NAME) at any time, and their /proc entries vanish with them. So each
 * thread has a perf event that counts nothing and reports its names (PERF_RECORD_COMM); where there
 * is no room for the event's buffer, the last name that /proc had at a refresh stands.
 */
#ifndef PROC_THREAD_NAMES_H
#define PROC_THREAD_NAMES_H

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

/* Learns what changed. To be called several times a second, and before the names are read. */
void thread_names_refresh(struct thread_names *names);

/* Of thread @index, as of the last refresh. "[not known]" if it had ended before the first. */
const char *thread_names_comm(const struct thread_names *names, size_t index);
const char *thread_names_program(const struct thread_names *names, size_t index);

#endif
