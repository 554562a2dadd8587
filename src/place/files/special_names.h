/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that the kernel gives to mappings that are not files (kernel/events/core.c, mm/, ipc/). */
#ifndef PLACE_FILES_SPECIAL_NAMES_H
#define PLACE_FILES_SPECIAL_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/words.h"

struct special_name {
	enum image_kind kind;
	const char *shown; /* borrowed: constant, or the name itself */
};

/* True if @name (a mapping's path) is special; *ret_special is what it becomes. @start is the
 * mapping's address, because the vdso of a 32-bit process differs from ours. */
bool special_names_find(const char *name, uint64_t start, struct special_name *ret_special);
/* Files that are in no folder: only the process that maps them leads to them. */
bool special_names_is_memfd(const char *name);

#endif
