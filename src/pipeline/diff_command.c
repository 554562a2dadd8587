/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/diff_command.h"

#include <string.h>

#include "base/file.h"

int diff_command_is_known(struct store_reader *store, bool *ret_is_known, struct err *err)
{
	struct profile *profile;
	int rc = store_load_run(store, &profile, err);

	if (rc < 0)
		return rc;
	*ret_is_known = profile->run.command_pid != 0;
	profile_free(profile);
	return 0;
}

static bool is_in_command(const struct profile *profile, const struct point *point)
{
	uint32_t process = profile->tasks.items[point->total.task].process;

	return profile->processes.items[process].in_command;
}

void diff_command_each(const struct profile *profile, const struct point *points, size_t count,
		       void (*visit)(void *context, const struct point *points, size_t count),
		       void *context)
{
	for (size_t first = 0, end; first < count; first = end) {
		while (first < count && !is_in_command(profile, &points[first]))
			first++;
		for (end = first; end < count && is_in_command(profile, &points[end]);)
			end++;
		if (end > first)
			visit(context, points + first, end - first);
	}
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
