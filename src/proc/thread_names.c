/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/thread_names.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "perf/ring.h"
#include "proc/thread_facts.h"

struct thread_name {
	pid_t tid, pid;
	int fd; /* of the event; -1: none */
	struct ring ring;
	char comm[COUNTS_COMM];
	char program[COUNTS_PATH];
};

struct thread_names {
	struct thread_name *threads;
	size_t count;
	struct foreign *foreign;
};

/* A record as the kernel writes it without sample_id_all. */
struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[COUNTS_COMM];
};

static void open_event(struct thread_name *thread)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.comm = 1,
		.exclude_kernel = 1, /* ordinary users may not ask for more */
		.exclude_hv = 1,
	};

	thread->fd =
		(int)syscall(SYS_perf_event_open, &attr, thread->tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (thread->fd >= 0)
		(void)ring_map(&thread->ring, thread->fd, (size_t)sysconf(_SC_PAGESIZE));
}

static void take(void *context, const void *bytes, size_t size)
{
	struct thread_name *thread = context;
	struct comm_record record = { 0 };

	memcpy(&record, bytes, size < sizeof(record) ? size : sizeof(record));
	record.comm[sizeof(record.comm) - 1] = '\0';
	if (record.header.type == PERF_RECORD_COMM && record.tid == (uint32_t)thread->tid)
		memcpy(thread->comm, record.comm, sizeof(thread->comm));
}

static void refresh(struct thread_name *thread)
{
	if (thread->ring.page)
		ring_read(&thread->ring, take, thread);
	/* A full ring loses names; a live thread still has its current one in /proc. */
	thread_facts_comm(thread->tid, thread->comm, sizeof(thread->comm));
}

/* The threads of a process are adjacent. */
static void refresh_program(struct thread_names *names, size_t index)
{
	struct thread_name *thread = &names->threads[index];
	const struct thread_name *before = index ? thread - 1 : NULL;
	char program[COUNTS_PATH];

	if (before && before->pid == thread->pid)
		memcpy(thread->program, before->program, sizeof(thread->program));
	else if (thread_facts_program(names->foreign, thread->pid, program, sizeof(program)))
		memcpy(thread->program, program, sizeof(program));
}

struct thread_names *thread_names_new(struct foreign *foreign, const pid_t *tids, const pid_t *pids,
				      size_t count)
{
	struct thread_names *names = xcalloc(1, sizeof(*names));

	names->threads = xcalloc(count, sizeof(*names->threads));
	names->count = count;
	names->foreign = foreign;
	for (size_t i = 0; i < count; i++) {
		struct thread_name *thread = &names->threads[i];

		thread->tid = tids[i];
		thread->pid = pids[i];
		snprintf(thread->comm, sizeof(thread->comm), "%s", THREAD_FACTS_NOT_KNOWN);
		snprintf(thread->program, sizeof(thread->program), "%s", THREAD_FACTS_NOT_KNOWN);
		open_event(thread);
	}
	thread_names_refresh(names);
	return names;
}

void thread_names_free(struct thread_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->count; i++) {
		ring_unmap(&names->threads[i].ring);
		if (names->threads[i].fd >= 0)
			close(names->threads[i].fd);
	}
	free(names->threads);
	free(names);
}

void thread_names_refresh(struct thread_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		refresh(&names->threads[i]);
		refresh_program(names, i);
	}
}

const char *thread_names_comm(const struct thread_names *names, size_t index)
{
	return names->threads[index].comm;
}

const char *thread_names_program(const struct thread_names *names, size_t index)
{
	return names->threads[index].program;
}
