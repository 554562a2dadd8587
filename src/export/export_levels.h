/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the functions and lines of the frames to export. */
#ifndef EXPORT_EXPORT_LEVELS_H
#define EXPORT_EXPORT_LEVELS_H

#include <stdbool.h>
#include <stddef.h>

#include "export/export_code.h"
#include "load/frame_lines.h"
#include "model/profile.h"

struct export_levels {
	struct frame_lines *lines; /* NULL: no lines */
	bool inlines;		   /* inlined functions get levels of their own */
};

/* Adds every frame of the stacks of @rows to @code. */
void export_levels_fill(const struct export_levels *levels, const struct total *rows, size_t count,
			struct export_code *code);

#endif
