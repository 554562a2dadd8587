/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/diff_command.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

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

static bool is_called(const struct profile *profile, const struct image *image, uint32_t process)
{
	str_id program = profile->processes.items[process].program;

	return image->kind == IMAGE_FILE && strcmp(file_base(profile_text(profile, image->path)),
						   profile_text(profile, program)) == 0;
}

/* Adds up the process's weight by image: in its own code and in what that called. */
static void weigh(const struct profile *profile, const struct total *rows, size_t count,
		  uint32_t process, uint64_t *weights)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t stack = rows[i].stack;

		if (profile->tasks.items[rows[i].task].process != process)
			continue;
		for (; stack; stack = profile->stacks.items[stack].parent)
			weights[profile->frames.items[profile->stacks.items[stack].frame].image] +=
				rows[i].weight;
	}
}

uint32_t diff_command_image(const struct profile *profile, const struct total *rows, size_t count)
{
	_cleanup_free_ uint64_t *weights = xcalloc(profile->images.count + 1, sizeof(*weights));
	uint32_t process = diff_command_process(profile), called = 0, found = 0, heaviest = 0;

	for (uint32_t i = 1; process && i < profile->images.count; i++) {
		if (!is_called(profile, &profile->images.items[i], process))
			continue;
		found = i;
		called++;
	}
	if (called <= 1)
		return found;
	weigh(profile, rows, count, process, weights);
	for (uint32_t i = 1; i < profile->images.count; i++) {
		if (weights[i] > weights[heaviest] &&
		    is_called(profile, &profile->images.items[i], process))
			heaviest = i;
	}
	return heaviest;
}
