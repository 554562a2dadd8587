/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which functions and lines are at the frames that are exported. */
#ifndef PIPELINE_EXPORT_LEVELS_H
#define PIPELINE_EXPORT_LEVELS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profile.h"
#include "pipeline/frame_lines.h"
#include "present/export_code.h"

struct export_levels {
	struct frame_lines *lines; /* NULL: no lines are wanted */
	bool inlines;		   /* inlined functions are levels of their own */
};

/* Adds every frame of the stacks of @rows to @code. */
void export_levels_fill(const struct export_levels *levels, const struct total *rows, size_t count,
			struct export_code *code);

#endif
