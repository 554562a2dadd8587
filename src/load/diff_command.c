/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/diff_command.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

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
	const struct process *row = &profile->processes.items[process];
	const char *exe = profile_text(profile, row->exe ? row->exe : row->program);

	return image->kind == IMAGE_FILE &&
	       strcmp(file_base(profile_text(profile, image->path)), file_base(exe)) == 0;
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
