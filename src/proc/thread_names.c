/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/thread_names.h"

#include <elf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "foreign/door.h"
#include "foreign/live_task.h"
#include "perf/ring.h"

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

enum { AUXV_LIMIT = 4096, STATUS_LIMIT = 65536 };

/* What /proc/TID/status says after @name and blanks; "" if unknown. */
static void read_fact(pid_t tid, const char *name, char *ret_fact, size_t size)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	const char *line = NULL;
	char path[64], start[32];

	*ret_fact = '\0';
	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	snprintf(start, sizeof(start), "\n%s:", name);
	if (file_read(path, STATUS_LIMIT, &text) == 0)
		line = strstr(buf_text(&text), start);
	if (!line)
		return;
	line += strlen(start);
	line += strspn(line, " \t");
	snprintf(ret_fact, size, "%.*s", (int)strcspn(line, "\n"), line);
}

pid_t thread_facts_number(pid_t tid, const char *name)
{
	char fact[32];

	read_fact(tid, name, fact, sizeof(fact));
	return (pid_t)strtol(fact, NULL, 10);
}

bool thread_facts_runs(pid_t tid)
{
	char fact[32];

	read_fact(tid, "State", fact, sizeof(fact));
	return fact[0] == 'R';
}

void thread_facts_comm(pid_t tid, char *ret_comm, size_t size)
{
	struct buf text = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)tid);
	/* The last newline belongs to the file; others belong to the name. */
	if (file_read(path, STATUS_LIMIT, &text) == 0 && text.size)
		snprintf(ret_comm, size, "%.*s", (int)text.size - 1, buf_text(&text));
	buf_done(&text);
}

/* The address of the path given to exec (AT_EXECFN, getauxval(3)); 0 if unknown. */
static uint64_t name_address(struct foreign *foreign, pid_t pid)
{
	struct buf text = { 0 };
	uint64_t address = 0;

	if (door_read_proc(foreign, pid, "auxv", AUXV_LIMIT, &text) == 0) {
		for (size_t at = 0; at + sizeof(Elf64_auxv_t) <= text.size;
		     at += sizeof(Elf64_auxv_t)) {
			Elf64_auxv_t entry;

			memcpy(&entry, text.bytes + at, sizeof(entry));
			if (entry.a_type == AT_EXECFN)
				address = entry.a_un.a_val;
		}
	}
	buf_done(&text);
	return address;
}

bool thread_facts_program(struct foreign *foreign, pid_t pid, char *ret_program, size_t size)
{
	uint64_t address = name_address(foreign, pid);
	char link[64];
	ssize_t got = 0;

	memset(ret_program, 0, size);
	/* The name is at the end of the stack, so the bytes after it may not be mapped. */
	for (size_t most = size - 1; address && got <= 0 && most > 0 && got != -ETIMEDOUT;
	     most /= 2)
		got = door_read_memory(foreign, pid, address, ret_program, most);
	if (got > 0 && *ret_program)
		return true;
	snprintf(link, sizeof(link), "/proc/%d/exe", live_task((int32_t)pid));
	got = readlink(link, ret_program, size - 1);
	if (got <= 0)
		snprintf(ret_program, size, "%s", THREAD_FACTS_NOT_KNOWN);
	return got > 0;
}
