/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/key_code.h"

#include <string.h>

#include "base/file.h"

enum code { CODE_OWN, CODE_LIBRARY, CODE_KERNEL, CODE_MADE, CODE_OTHER, CODE_COUNT };

static const char *const code_names[CODE_COUNT] = {
	[CODE_OWN] = "own",   [CODE_LIBRARY] = "library", [CODE_KERNEL] = "kernel",
	[CODE_MADE] = "made", [CODE_OTHER] = "other",
};

/* True if the file has the name of the program that the sampled process executes. */
static bool is_own(const struct profile *profile, const struct image *image,
		   const struct point *point)
{
	uint32_t process = profile->tasks.items[point->total.task].process;
	str_id program = profile->processes.items[process].program;

	return strcmp(file_base(profile_text(profile, image->path)),
		      profile_text(profile, program)) == 0;
}

uint64_t key_code_value(const struct labels *labels, const struct point *point)
{
	const struct profile *profile = labels->profile;
	uint32_t leaf = profile->stacks.items[point->total.stack].frame;
	const struct image *image = &profile->images.items[profile->frames.items[leaf].image];

	switch (image->kind) {
	case IMAGE_FILE:
		return is_own(profile, image, point) ? CODE_OWN : CODE_LIBRARY;
	case IMAGE_VDSO:
		return CODE_LIBRARY;
	case IMAGE_KERNEL:
	case IMAGE_MODULE:
	case IMAGE_BPF:
		return CODE_KERNEL;
	case IMAGE_ANON:
		return CODE_MADE;
	default:
		return CODE_OTHER;
	}
}

void key_code_text(const struct labels *labels, uint64_t value, struct buf *buf)
{
	buf_add_str(buf, code_names[value]);
}

size_t key_code_bound(const struct labels *labels)
{
	return CODE_COUNT;
}
