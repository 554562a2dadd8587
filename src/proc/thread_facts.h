/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc says of a thread that stands still, or of any while it lasts. */
#ifndef PROC_THREAD_FACTS_H
#define PROC_THREAD_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct foreign;

/* A number of its status: "Tgid", "PPid". 0: not to be found. */
pid_t thread_facts_number(pid_t tid, const char *name);
/* Its name; as it was before when it is gone. */
void thread_facts_comm(pid_t tid, char *ret_comm, size_t size);
#define THREAD_FACTS_NOT_KNOWN "[not known]"
/* The path that was given to its last exec. Where its memory cannot be read, or is another word
 * size's, the file it executes. False, and THREAD_FACTS_NOT_KNOWN, when it is gone. @foreign: reads
 * its memory, which it may hold locked while it waits for a file; NULL: it is read here. */
bool thread_facts_program(struct foreign *foreign, pid_t pid, char *ret_program, size_t size);

#endif
