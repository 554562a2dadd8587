/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Process and thread ids as typed: "1,2,3". */
#ifndef CMD_OPTIONS_PID_LIST_H
#define CMD_OPTIONS_PID_LIST_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "cmd/options/options.h"

/* Empty when zero-initialised. */
struct pid_list {
	pid_t *items;
	size_t count, capacity;
};

/* Appends the ids of all @texts of the option @name ("-p", "-t"). -EINVAL and one line that begins
 * with @name. */
int pid_list_read(const char *name, const struct option_texts *texts, struct pid_list *pids,
		  struct err *err);
void pid_list_done(struct pid_list *pids);

#endif
