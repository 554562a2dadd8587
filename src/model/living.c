/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/living.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hashidx.h"
#include "base/xalloc.h"

/* ---- tables by number ---- */

enum { FIRST_SIZE = 64 };

/* Open addressing with linear probing. */
struct pid_table_slot {
	int32_t key;
	void *object; /* NULL: free */
};

static size_t home(const struct pid_table *table, int32_t key)
{
	return hash_u64((uint32_t)key) & (table->size - 1);
}

/* The slot that holds the key, or the free one where it belongs. */
static struct pid_table_slot *probe(const struct pid_table *table, int32_t key)
{
	size_t at = home(table, key);

	while (table->slots[at].object && table->slots[at].key != key)
		at = (at + 1) & (table->size - 1);
	return &table->slots[at];
}

void *pid_table_find(const struct pid_table *table, int32_t key)
{
	return table->size ? probe(table, key)->object : NULL;
}

static void grow(struct pid_table *table)
{
	struct pid_table old = *table;

	table->size = old.size ? old.size * 2 : FIRST_SIZE;
	table->slots = xcalloc(table->size, sizeof(*table->slots));
	for (size_t i = 0; i < old.size; i++) {
		if (old.slots[i].object)
			*probe(table, old.slots[i].key) = old.slots[i];
	}
	free(old.slots);
}

void pid_table_put(struct pid_table *table, int32_t key, void *object)
{
	struct pid_table_slot *slot;

	if ((table->count + 1) * 3 > table->size * 2)
		grow(table);
	slot = probe(table, key);
	table->count += !slot->object;
	*slot = (struct pid_table_slot){ .key = key, .object = object };
}

/* Moves later entries of the probe sequence back into the gap, so no tombstone is needed. */
void pid_table_remove(struct pid_table *table, int32_t key)
{
	size_t mask = table->size - 1;
	size_t gap, at;

	if (!pid_table_find(table, key))
		return;
	gap = (size_t)(probe(table, key) - table->slots);
	for (at = (gap + 1) & mask; table->slots[at].object; at = (at + 1) & mask) {
		size_t wish = home(table, table->slots[at].key);

		if (((at - wish) & mask) < ((at - gap) & mask))
			continue;
		table->slots[gap] = table->slots[at];
		gap = at;
	}
	table->slots[gap].object = NULL;
	table->count--;
}

void *pid_table_next(const struct pid_table *table, size_t *cursor)
{
	while (*cursor < table->size) {
		void *object = table->slots[(*cursor)++].object;

		if (object)
			return object;
	}
	return NULL;
}

void pid_table_done(struct pid_table *table)
{
	free(table->slots);
	*table = (struct pid_table){ 0 };
}

/* ---- the living ---- */

struct live_process *living_process(const struct living *living, int32_t pid)
{
	return pid_table_find(&living->processes, pid);
}

struct live_thread *living_thread(const struct living *living, int32_t tid)
{
	return pid_table_find(&living->threads, tid);
}

struct live_process *living_add_process(struct living *living, int32_t pid, uint32_t row)
{
	struct live_process *process = xcalloc(1, sizeof(*process));

	process->pid = pid;
	process->row = row;
	pid_table_put(&living->processes, pid, process);
	return process;
}

struct live_thread *living_add_thread(struct living *living, struct live_process *process,
				      int32_t tid, str_id comm)
{
	struct live_thread *thread = xcalloc(1, sizeof(*thread));

	thread->tid = tid;
	thread->comm = comm;
	thread->process = process;
	thread->next = process->threads;
	if (thread->next)
		thread->next->previous = thread;
	process->threads = thread;
	pid_table_put(&living->threads, tid, thread);
	return thread;
}

static void drop_thread(struct living *living, struct live_thread *thread)
{
	if (thread->next)
		thread->next->previous = thread->previous;
	if (thread->previous)
		thread->previous->next = thread->next;
	else
		thread->process->threads = thread->next;
	pid_table_remove(&living->threads, thread->tid);
	free(thread);
}

void living_remove_thread(struct living *living, struct live_thread *thread)
{
	living->dead[living->dead_count++ % LIVING_DEAD_KEPT] =
		(struct dead_thread){ .pid = thread->process->pid,
				      .tid = thread->tid,
				      .row = thread->process->row,
				      .comm = thread->comm };
	drop_thread(living, thread);
}

void living_forget_threads(struct living *living, struct live_process *process)
{
	while (process->threads)
		drop_thread(living, process->threads);
}

void living_remove_process(struct living *living, struct live_process *process)
{
	while (process->threads)
		living_remove_thread(living, process->threads);
	address_space_unref(process->space);
	pid_table_remove(&living->processes, process->pid);
	free(process);
}

const struct dead_thread *living_dead(const struct living *living, int32_t pid, int32_t tid)
{
	size_t kept = living->dead_count < LIVING_DEAD_KEPT ? living->dead_count : LIVING_DEAD_KEPT;

	for (size_t i = 1; i <= kept; i++) {
		const struct dead_thread *dead =
			&living->dead[(living->dead_count - i) % LIVING_DEAD_KEPT];

		if (dead->pid == pid && dead->tid == tid)
			return dead;
	}
	return NULL;
}

void living_done(struct living *living)
{
	struct live_process *process;
	struct live_thread *thread;
	size_t cursor = 0;

	while ((thread = pid_table_next(&living->threads, &cursor)))
		free(thread);
	cursor = 0;
	while ((process = pid_table_next(&living->processes, &cursor))) {
		address_space_unref(process->space);
		free(process);
	}
	pid_table_done(&living->threads);
	pid_table_done(&living->processes);
}

/* ---- programs ---- */

enum { COMM_LENGTH = 15 }; /* the kernel's TASK_COMM_LEN without the NUL */

static struct process *row_of(const struct programs *programs, const struct live_process *process)
{
	return &programs->profile->processes.items[process->row];
}

static uint32_t *instances_of(struct programs *programs, str_id program)
{
	while (programs->instances.count <= program)
		*vec_push(&programs->instances) = 0;
	return &programs->instances.items[program];
}

void programs_settle(struct programs *programs, struct live_process *process, str_id program)
{
	struct process *row = row_of(programs, process);

	process->awaited = AWAITED_NOTHING;
	if (row->program == program && row->instance)
		return;
	row->program = program;
	row->instance = ++*instances_of(programs, program);
	row->dirty = true;
}

void programs_settle_as_is(struct programs *programs, struct live_process *process)
{
	if (process->awaited != AWAITED_NOTHING)
		programs_settle(programs, process, row_of(programs, process)->program);
}

void programs_take_back(struct programs *programs, const struct live_process *process)
{
	const struct process *row = row_of(programs, process);
	uint32_t *instances = instances_of(programs, row->program);

	if (row->instance == *instances)
		--*instances;
}

str_id programs_of_scan(struct programs *programs, const struct machine_process *info)
{
	struct strpool *strings = &programs->profile->strings;

	if (info->kernel_thread || !info->executable || !*info->executable)
		return strpool_intern(strings, info->comm);
	if (info->script && *info->script)
		return strpool_intern_n(strings, info->script, strnlen(info->script, COMM_LENGTH));
	if (info->link && *info->link)
		return strpool_intern(strings, info->link);
	return strpool_intern(strings, file_base(info->executable));
}

/* What was executed by a path in /proc names no program: /proc/self/exe, and the number of a
 * descriptor, which kernels before 6.14 gave fexecve(3). */
static bool is_of_proc(const char *comm)
{
	return *comm && (strcmp(comm, "exe") == 0 || strspn(comm, "0123456789") == strlen(comm));
}

str_id programs_of_exec(struct programs *programs, const struct live_process *process,
			uint32_t image)
{
	struct profile *profile = programs->profile;
	const char *path = profile_text(profile, profile->images.items[image].path);
	const char *base = file_base(path);
	const char *comm = profile_text(profile, process->exec_comm);
	const char *whole = NULL;

	if (!*base || strncmp(path, "/memfd:", 7) == 0)
		return process->exec_comm;
	if (is_of_proc(comm))
		return strpool_intern(&profile->strings, base);
	if (strlen(comm) < COMM_LENGTH)
		return process->exec_comm;
	if (strncmp(base, comm, COMM_LENGTH) == 0)
		return strpool_intern(&profile->strings, base);
	if (programs->complete)
		whole = programs->complete(programs->context, comm, image);
	return whole ? strpool_intern(&profile->strings, whole) : process->exec_comm;
}

void programs_done(struct programs *programs)
{
	vec_free(&programs->instances);
}
