/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc says of threads, for tests that need one to wait: proc_pid_stat(5). */
#ifndef TESTS_UNIT_COLLECT_THREAD_STATE_H
#define TESTS_UNIT_COLLECT_THREAD_STATE_H

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>

#include "base/clock.h"
#include "base/vec.h"

/* The letter of stat's third field; 0: there is no such thread. The name before it may hold
 * anything, but no other parenthesis closes after its own. */
static inline char thread_state(pid_t pid, pid_t tid)
{
	char path[64], text[512];
	const char *name_end = NULL;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fgets(text, sizeof(text), file))
		name_end = strrchr(text, ')');
	fclose(file);
	return name_end && name_end[1] ? name_end[2] : 0;
}

/* Waits until a thread that writes its number to @tid (0 before) sleeps. false: it did not within
 * @patience_ns. */
static inline bool thread_await_sleep(pid_t pid, const _Atomic pid_t *tid, uint64_t patience_ns)
{
	const struct timespec pause = { .tv_nsec = NS_PER_MS };
	const uint64_t until_ns = clock_ns() + patience_ns;

	while (!*tid || thread_state(pid, *tid) != 'S') {
		if (clock_ns() >= until_ns)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

/* Sleeps, and again (for @patience_ns at most) if the thread was preempted meanwhile: a thread
 * preempted on its way to sleep is runnable for a part of it. */
static inline void thread_sleep_undisturbed(unsigned ms, uint64_t patience_ns)
{
	const struct timespec pause = { .tv_nsec = (long)ms * (long)NS_PER_MS };
	const uint64_t until_ns = clock_ns() + patience_ns;
	struct rusage before, after;

	do {
		getrusage(RUSAGE_THREAD, &before);
		nanosleep(&pause, NULL);
		getrusage(RUSAGE_THREAD, &after);
	} while (before.ru_nivcsw != after.ru_nivcsw && clock_ns() < until_ns);
}

typedef VEC(pid_t) thread_numbers;

/* Adds the number of every thread of the machine. */
static inline void thread_list(thread_numbers *tids)
{
	glob_t paths = { 0 };

	if (glob("/proc/[0-9]*/task/[0-9]*", GLOB_NOSORT, NULL, &paths) == 0) {
		for (size_t i = 0; i < paths.gl_pathc; i++)
			*vec_push(tids) =
				(pid_t)strtol(strrchr(paths.gl_pathv[i], '/') + 1, NULL, 10);
	}
	globfree(&paths);
}

static inline bool thread_is_listed(const thread_numbers *tids, pid_t tid)
{
	for (size_t i = 0; i < tids->count; i++) {
		if (tids->items[i] == tid)
			return true;
	}
	return false;
}

#endif
