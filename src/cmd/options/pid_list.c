/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/pid_list.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

enum { MOST_PID = 4194304 }; /* PID_MAX_LIMIT of 64-bit kernels */

static int add(const char *name, const char *text, struct pid_list *pids, struct err *err)
{
	const char *at = text;

	for (;;) {
		char *end;
		long pid;

		errno = 0;
		pid = strtol(at, &end, 10);
		if (end == at || errno || pid <= 0 || pid > MOST_PID || (*end && *end != ','))
			return err_set(err, -EINVAL, "invalid %s '%s': expected a list of %s ids",
				       name, text, name[1] == 't' ? "thread" : "process");
		*vec_push(pids) = (pid_t)pid;
		if (!*end)
			return 0;
		at = end + 1;
	}
}

int pid_list_read(const char *name, const struct option_texts *texts, struct pid_list *pids,
		  struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < texts->count; i++)
		rc = add(name, texts->items[i], pids, err);
	return rc;
}

void pid_list_done(struct pid_list *pids)
{
	vec_free(pids);
}
