/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum {
	KTHREADD = 2,	     /* the parent of all kernel threads */
	COMM_LENGTH = 15,    /* TASK_COMM_LEN without the NUL */
	MAX_TASKS = 1 << 22, /* processes, and threads */
};

enum awaited_map {
	AWAIT_NOTHING,
	AWAIT_FIRST, /* described by perf: the first file gives the program */
	AWAIT_EXEC,  /* renamed: if a file of that name is mapped, it was an exec */
};

struct announced {
	int32_t pid, parent;
	char comm[COMM_LENGTH + 1];
	enum awaited_map awaits;
};

/* The last record of a thread, and the event that wrote it first. */
struct last_record {
	int32_t tid, pid;
	uint32_t type; /* PERF_RECORD_*; 0: nothing that could be repeated */
	bool exec;
	int32_t parent_pid, parent_tid;
	char comm[COMM_LENGTH + 1];
	size_t event;
};

struct import_tasks {
	struct machine *machine;
	VEC(struct announced) list;
	struct hashidx index; /* by pid */
	VEC(struct last_record) last;
	struct hashidx last_index; /* by tid */
};

struct import_tasks *import_tasks_new(struct machine *machine)
{
	struct import_tasks *tasks = xcalloc(1, sizeof(*tasks));

	tasks->machine = machine;
	return tasks;
}

void import_tasks_free(struct import_tasks *tasks)
{
	if (!tasks)
		return;
	vec_free(&tasks->list);
	hashidx_done(&tasks->index);
	vec_free(&tasks->last);
	hashidx_done(&tasks->last_index);
	free(tasks);
}

DEFINE_EQUAL(has_pid, struct import_tasks, list.items, int32_t, a->pid == *b)

static struct announced *find(const struct import_tasks *tasks, int32_t pid)
{
	uint32_t index;

	if (!hashidx_find(&tasks->index, hash_u64((uint32_t)pid), has_pid, tasks, &pid, &index))
		return NULL;
	return &tasks->list.items[index];
}

/* NULL: too many. */
static struct announced *find_or_add(struct import_tasks *tasks, int32_t pid)
{
	struct announced *found = find(tasks, pid);

	if (found || tasks->list.count >= MAX_TASKS)
		return found;
	hashidx_add(&tasks->index, hash_u64((uint32_t)pid), (uint32_t)tasks->list.count);
	found = vec_push(&tasks->list);
	*found = (struct announced){ .pid = pid };
	return found;
}

static void add_process(struct import_tasks *tasks, struct announced *task, const char *path)
{
	struct machine_process process = {
		.pid = task->pid,
		.parent_pid = task->parent,
		.comm = task->comm,
		.executable = path,
		.kernel_thread = task->pid == KTHREADD || task->parent == KTHREADD,
	};

	task->awaits = AWAIT_NOTHING;
	machine_add_process(tasks->machine, &process);
}

void import_tasks_settle(struct import_tasks *tasks, int32_t pid)
{
	struct announced *task = find(tasks, pid);

	if (task && task->awaits == AWAIT_FIRST)
		add_process(tasks, task, NULL);
}

void import_tasks_fork(struct import_tasks *tasks, uint64_t time_ns, int32_t pid,
		       int32_t parent_pid, int32_t tid, int32_t parent_tid)
{
	struct announced *task = find(tasks, pid);

	if (time_ns == 0) {
		task = pid == tid ? find_or_add(tasks, pid) : NULL;
		if (task)
			task->parent = parent_pid;
		return;
	}
	import_tasks_settle(tasks, parent_pid);
	if (task && pid != parent_pid)
		task->awaits = AWAIT_NOTHING;
	machine_fork(tasks->machine, time_ns, pid, parent_pid, tid, parent_tid);
}

static void set_comm(struct announced *task, const char *comm, enum awaited_map awaits)
{
	size_t length = strnlen(comm, COMM_LENGTH);

	memcpy(task->comm, comm, length);
	task->comm[length] = '\0';
	task->awaits = awaits;
}

/* The first name of a new process. */
static void announce(struct import_tasks *tasks, int32_t pid, const char *comm)
{
	struct announced *task = find_or_add(tasks, pid);

	if (!task)
		return;
	set_comm(task, comm, AWAIT_FIRST);
	if (pid == KTHREADD || task->parent == KTHREADD)
		add_process(tasks, task, NULL);
}

void import_tasks_comm(struct import_tasks *tasks, uint64_t time_ns, int32_t pid, int32_t tid,
		       const char *comm, bool exec, bool exec_told)
{
	struct announced *task;

	/* The model names the idle task. */
	if (pid <= 0)
		return;
	if (pid == tid && !exec && !machine_process_of(tasks->machine, pid)) {
		announce(tasks, pid, comm);
		return;
	}
	import_tasks_settle(tasks, pid);
	machine_comm(tasks->machine, time_ns, pid, tid, comm, exec);
	task = !exec && !exec_told && pid == tid ? find_or_add(tasks, pid) : NULL;
	if (task)
		set_comm(task, comm, AWAIT_EXEC);
}

static bool is_called(const char *path, const char *comm)
{
	return strncmp(file_base(path), comm, COMM_LENGTH) == 0;
}

void import_tasks_map(struct import_tasks *tasks, uint64_t time_ns, int32_t pid, const char *path)
{
	struct announced *task = find(tasks, pid);
	enum awaited_map awaits = task ? task->awaits : AWAIT_NOTHING;

	if (awaits == AWAIT_FIRST)
		add_process(tasks, task, path[0] == '/' && path[1] != '/' ? path : NULL);
	if (awaits != AWAIT_EXEC)
		return;
	task->awaits = AWAIT_NOTHING;
	if (is_called(path, task->comm))
		machine_comm(tasks->machine, time_ns, pid, pid, task->comm, true);
}

/* ---- repetitions ---- */

DEFINE_EQUAL(has_tid, struct import_tasks, last.items, int32_t, a->tid == *b)

/* NULL: too many threads. */
static struct last_record *last_of(struct import_tasks *tasks, int32_t tid)
{
	uint64_t hash = hash_u64((uint32_t)tid);
	struct last_record *last;
	uint32_t index;

	if (hashidx_find(&tasks->last_index, hash, has_tid, tasks, &tid, &index))
		return &tasks->last.items[index];
	if (tasks->last.count >= MAX_TASKS)
		return NULL;
	hashidx_add(&tasks->last_index, hash, (uint32_t)tasks->last.count);
	last = vec_push(&tasks->last);
	*last = (struct last_record){ .tid = tid };
	return last;
}

static struct last_record record_of(const struct perf_record *record, size_t event)
{
	struct last_record last = {
		.tid = record->tid, .pid = record->pid, .type = record->type, .event = event
	};

	if (record->type == PERF_RECORD_COMM) {
		last.exec = record->comm.exec;
		strncpy(last.comm, record->comm.comm, sizeof(last.comm) - 1);
	} else {
		last.parent_pid = record->task.parent_pid;
		last.parent_tid = record->task.parent_tid;
	}
	return last;
}

static bool says_the_same(const struct last_record *a, const struct last_record *b)
{
	return a->type == b->type && a->pid == b->pid && a->exec == b->exec &&
	       a->parent_pid == b->parent_pid && a->parent_tid == b->parent_tid &&
	       strcmp(a->comm, b->comm) == 0;
}

static bool could_be_repeated(uint32_t type)
{
	return type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT || type == PERF_RECORD_COMM;
}

bool import_tasks_repeats(struct import_tasks *tasks, const struct perf_record *record,
			  size_t event)
{
	/* perf describes the state at the start only once. */
	bool is_other = record->type == PERF_RECORD_MMAP || record->type == PERF_RECORD_MMAP2 ||
			record->time_ns == 0;
	struct last_record *last, now;

	if (!is_other && !could_be_repeated(record->type))
		return false;
	last = last_of(tasks, record->tid);
	if (!last)
		return false;
	if (is_other) {
		last->type = 0; /* what follows is of another moment */
		return false;
	}
	now = record_of(record, event);
	if (says_the_same(last, &now) && last->event != event)
		return true;
	*last = now;
	return false;
}
