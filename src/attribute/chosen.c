/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/chosen.h"

#include <string.h>

#include "perf/perf_record.h"

enum { WHOLE_NAME = 14 }; /* the kernel cuts longer names */

/* @comm: another name of the process; NULL: none. */
static bool choose(const struct who *only, struct profile *profile, uint32_t process,
		   const char *comm)
{
	struct process *row = &profile->processes.items[process];
	const struct who_facts facts = { .names = { profile_text(profile, row->program), comm },
					 .uid = row->uid,
					 .cgroup = profile_text(profile, row->cgroup),
					 .container = profile_text(profile, row->container) };

	if (!only || row->in_command)
		return true;
	if (row->pid <= 0 || (uint64_t)row->pid == profile->run.prospect_pid ||
	    !who_matches(only, &facts))
		return false;
	row->in_command = true;
	row->dirty = true;
	return true;
}

bool chosen_process(const struct who *only, struct profile *profile, uint32_t process)
{
	return choose(only, profile, process, NULL);
}

void chosen_exec(const struct who *only, struct profile *profile, uint32_t process,
		 const char *comm)
{
	/* The program's own name comes with its first mapping. */
	if (only && strlen(comm) <= WHOLE_NAME)
		choose(only, profile, process, comm);
}

bool chosen_task(const struct who *only, struct profile *profile, uint32_t task)
{
	return chosen_process(only, profile, profile->tasks.items[task].process);
}

void chosen_before(const struct who *only, struct profile *profile, const struct machine *machine,
		   const struct perf_record *record)
{
	bool runs_another = record->type == PERF_RECORD_COMM && record->comm.exec;
	int32_t pid = record->type == PERF_RECORD_FORK ? record->task.parent_pid : record->pid;
	uint32_t process;

	if (!only || (record->type != PERF_RECORD_FORK && !runs_another))
		return;
	process = machine_process_of(machine, pid);
	if (process)
		chosen_process(only, profile, process);
}
