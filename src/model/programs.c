/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/programs.h"

#include <string.h>

#include "base/file.h"

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
	return strpool_intern(strings, file_base(info->executable));
}

/* Kernels before 6.14 gave a program started by fexecve(3) the descriptor's number as its comm. */
static bool is_descriptor(const char *comm)
{
	return *comm && strspn(comm, "0123456789") == strlen(comm);
}

str_id programs_of_exec(struct programs *programs, const struct live_process *process,
			uint32_t image)
{
	struct profile *profile = programs->profile;
	const char *path = profile_text(profile, profile->images.items[image].path);
	const char *base = file_base(path);
	const char *comm = profile_text(profile, process->exec_comm);
	bool same = strncmp(base, comm, COMM_LENGTH) == 0;

	if (!*base || strncmp(path, "/memfd:", 7) == 0)
		return process->exec_comm;
	if (same || is_descriptor(comm) ||
	    (programs->is_link && programs->is_link(programs->context, comm, image)))
		return strpool_intern(&profile->strings, base);
	return process->exec_comm;
}

void programs_done(struct programs *programs)
{
	vec_free(&programs->instances);
}
