/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/preload_pids.h"

#include <string.h>

#include "preload/preload_wire.h"
#include "record/preload_memory.h"

/* The number of a namespace, from 1 on. Those beyond PRELOAD_PIDS_MOST share the last one. */
static int32_t number_of(struct preload_pids *pids, uint32_t pid_namespace)
{
	for (uint32_t i = 0; i < pids->count; i++) {
		if (pids->namespaces[i] == pid_namespace)
			return (int32_t)i + 1;
	}
	if (pids->count < PRELOAD_PIDS_MOST)
		pids->namespaces[pids->count++] = pid_namespace;
	return (int32_t)pids->count;
}

int32_t preload_pids_number(struct preload_pids *pids, uint32_t pid_namespace, int32_t pid)
{
	if (pid_namespace == PRELOAD_OURS || pid <= 0 || pid >= PRELOAD_PIDS_STEP)
		return pid;
	return number_of(pids, pid_namespace) * PRELOAD_PIDS_STEP + pid;
}

bool preload_pids_is_ours(int32_t pid)
{
	return pid > 0 && pid < PRELOAD_PIDS_STEP;
}

/* @count numbers from @at on. */
static void translate(struct preload_pids *pids, uint32_t pid_namespace, uint8_t *record,
		      size_t size, size_t at, size_t count)
{
	for (; count > 0 && at <= size && size - at >= sizeof(int32_t);
	     count--, at += sizeof(int32_t)) {
		int32_t pid;

		memcpy(&pid, record + at, sizeof(pid));
		pid = preload_pids_number(pids, pid_namespace, pid);
		memcpy(record + at, &pid, sizeof(pid));
	}
}

void preload_pids_translate(struct preload_pids *pids, uint32_t pid_namespace, void *record,
			    size_t size)
{
	enum { AFTER_HEADER = sizeof(struct perf_event_header), TASK = 2, TASK_AND_PARENT = 4 };
	struct perf_event_header header;
	size_t count = TASK, at = AFTER_HEADER;

	if (pid_namespace == PRELOAD_OURS || size < sizeof(header))
		return;
	memcpy(&header, record, sizeof(header));
	if (header.type == PERF_RECORD_SAMPLE)
		at = offsetof(struct preload_sample, pid);
	else if (header.type == PERF_RECORD_FORK)
		count = TASK_AND_PARENT;
	translate(pids, pid_namespace, record, size, at, count);
	if (header.type == PERF_RECORD_FORK || header.type == PERF_RECORD_COMM ||
	    header.type == PERF_RECORD_MMAP2)
		translate(pids, pid_namespace, record, size, size - sizeof(struct preload_trailer),
			  TASK);
}
