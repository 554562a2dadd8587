/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about one thread from /proc. */
#ifndef PROC_THREAD_FACTS_H
#define PROC_THREAD_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct foreign;

/* A number from /proc/TID/status: "Tgid", "PPid". 0 if unknown. */
pid_t thread_facts_number(pid_t tid, const char *name);
/* The thread's name; @ret_comm is unchanged if the thread has ended. */
void thread_facts_comm(pid_t tid, char *ret_comm, size_t size);
#define THREAD_FACTS_NOT_KNOWN "[not known]"
/* The path given to the process's last exec. If its memory cannot be read, or it has another word
 * size, the file that it executes. False, with THREAD_FACTS_NOT_KNOWN, if it has ended. @foreign:
 * reads the process's memory, which may be locked while it waits for a file; NULL: read directly.
 */
bool thread_facts_program(struct foreign *foreign, pid_t pid, char *ret_program, size_t size);

#endif
