/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/live_task.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/scan.h"
#include "base/xalloc.h"

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

/* Of a process in our mount namespace the link says where its root is below ours. */
static bool sees_what_we_see(const char *task, const char *root)
{
	_cleanup_free_ char *namespace = xasprintf("%s/ns/mnt", task);
	struct stat its, ours;
	char target[2] = "";

	return stat(namespace, &its) == 0 && stat("/proc/self/ns/mnt", &ours) == 0 &&
	       its.st_ino == ours.st_ino && readlink(root, target, sizeof(target)) == 1;
}

char *live_task_root(int32_t pid)
{
	_cleanup_free_ char *task = xasprintf("/proc/%" PRId32, live_task(pid));
	_cleanup_free_ char *root = xasprintf("%s/root", task);

	if (pid <= 0 || sees_what_we_see(task, root) || access(task, F_OK) < 0)
		return NULL;
	return steal_ptr(root);
}
