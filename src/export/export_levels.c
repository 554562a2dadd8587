/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/export_levels.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

enum { MOST_LEVELS = 256 }; /* deeper inlined functions are omitted */

/* By frame: true if it is in one of the stacks. The caller frees it. */
static bool *used_frames(const struct profile *profile, const struct total *rows, size_t count)
{
	_cleanup_free_ bool *seen = xcalloc(profile->stacks.count, sizeof(*seen));
	bool *used = xcalloc(profile->frames.count, sizeof(*used));

	for (size_t i = 0; i < count; i++) {
		uint32_t stack = rows[i].stack;

		for (; stack && !seen[stack]; stack = profile->stacks.items[stack].parent) {
			seen[stack] = true;
			used[profile->stacks.items[stack].frame] = true;
		}
	}
	return used;
}

static void add_frame(const struct export_levels *levels, uint32_t frame, struct export_code *code)
{
	struct export_line told[MOST_LEVELS];
	const struct line_place *places = NULL;
	size_t count = 0, first;

	if (levels->lines)
		places = frame_lines_of(levels->lines, frame, &count);
	first = count > MOST_LEVELS ? count - MOST_LEVELS : 0;
	if (!levels->inlines && count > 0)
		first = count - 1;
	for (size_t i = first; i < count; i++)
		told[i - first] = (struct export_line){ .function = places[i].function,
							.file = places[i].file,
							.line = places[i].line,
							.declared = places[i].declared };
	export_code_add(code, frame, told, count - first);
}

void export_levels_fill(const struct export_levels *levels, const struct total *rows, size_t count,
			struct export_code *code)
{
	const struct profile *profile = code->labels->profile;
	_cleanup_free_ bool *used = used_frames(profile, rows, count);

	/* Functions with code first, so that inlined copies find them by name. */
	for (uint32_t frame = 0; frame < profile->frames.count; frame++) {
		if (used[frame])
			export_code_symbol(code, profile->frames.items[frame].symbol);
	}
	for (uint32_t frame = 0; frame < profile->frames.count; frame++) {
		if (used[frame])
			add_frame(levels, frame, code);
	}
}
