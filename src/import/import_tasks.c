/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum {
	KTHREADD = 2,	  /* the parent of all kernel threads */
	COMM_LENGTH = 15, /* TASK_COMM_LEN without the NUL */
	MAX_TASKS = 1 << 22,
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

struct import_tasks {
	struct machine *machine;
	VEC(struct announced) list;
	struct hashidx index; /* by pid */
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
	free(tasks);
}

static bool has_pid(const void *owner, uint32_t index, const void *key)
{
	return ((const struct import_tasks *)owner)->list.items[index].pid == *(const int32_t *)key;
}

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
