/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/living.h"

#include <stdlib.h>

#include "base/xalloc.h"

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
