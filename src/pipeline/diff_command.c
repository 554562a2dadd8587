/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/diff_command.h"

#include <string.h>

#include "base/file.h"

bool diff_command_is_known(const struct profile *profile)
{
	return profile->run.command_pid != 0;
}

bool diff_command_has(const struct profile *profile, const struct point *point)
{
	uint32_t process = profile->tasks.items[point->total.task].process;

	return profile->processes.items[process].in_command;
}

uint32_t diff_command_process(const struct profile *profile)
{
	uint32_t found = 0;

	for (uint32_t i = 1; i < profile->processes.count; i++) {
		const struct process *process = &profile->processes.items[i];

		if (process->in_command && process->pid == (int32_t)profile->run.command_pid)
			found = i;
	}
	return found;
}

const char *diff_command_image(const struct profile *profile)
{
	uint32_t process = diff_command_process(profile);
	const char *program = profile_text(profile, profile->processes.items[process].program);

	for (size_t i = 1; process && i < profile->images.count; i++) {
		const char *path = profile_text(profile, profile->images.items[i].path);

		if (strcmp(file_base(path), program) == 0)
			return path;
	}
	return NULL;
}
