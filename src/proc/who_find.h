/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the processes that the words of -p and its like mean now. */
#ifndef PROC_WHO_FIND_H
#define PROC_WHO_FIND_H

#include <stdbool.h>

#include "base/err.h"
#include "model/who.h"
#include "proc/proc_scan.h"

enum { WHO_FIND_CONTAINER = 256 };

/* What /proc says of a process, for who_matches; borrows from @info, and from @container, where it
 * writes the container. False: it is prospect itself, which is never meant. */
bool who_find_facts(const struct proc_info *info, char container[WHO_FIND_CONTAINER],
		    struct who_facts *ret_facts);

/* Writes the processes of the words that are threads (who_word.pid). */
void who_find_threads(struct who *who);

/* Appends the processes that are meant, each once. @foreign as in struct proc_visitor.
 * -EINVAL: a name that no process has (unless who->wait), with the nearest one; -ESRCH: an id that
 * is no process's or thread's; one line. Errors of proc_scan_all. */
int who_find(const struct who *who, struct foreign *foreign, struct pids *pids, struct err *err);

#endif
