/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/live_task.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/scan.h"

enum { PATH_BYTES = 64 };

/* A task that has ended has no root. Reading the link does not touch the file system that it leads
 * to. */
static bool has_ended(int32_t task)
{
	char path[PATH_BYTES], target;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/root", task);
	return readlink(path, &target, sizeof(target)) < 0 && errno == ENOENT;
}

int32_t live_task(int32_t pid)
{
	_cleanup_closedir_ DIR *tasks = NULL;
	char path[PATH_BYTES];
	struct dirent *entry;
	uint64_t task;

	if (pid <= 0 || !has_ended(pid))
		return pid;
	snprintf(path, sizeof(path), "/proc/%" PRId32 "/task", pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks)) != NULL) {
		if (scan_whole_number(entry->d_name, 10, &task) && task <= INT32_MAX &&
		    !has_ended((int32_t)task))
			return (int32_t)task;
	}
	return pid;
}
