/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names the kernel gives to mappings that are no files (kernel/events/core.c, mm/, ipc/). */
#ifndef PLACE_FILES_SPECIAL_NAMES_H
#define PLACE_FILES_SPECIAL_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/words.h"

struct special_name {
	enum image_kind kind;
	const char *shown; /* borrowed: constant, or the name itself */
};

/* Is @name (a mapping's path) special, and what becomes of it? @start is where it is mapped: the
 * vdso of a 32-bit process is another one than ours. */
bool special_names_find(const char *name, uint64_t start, struct special_name *ret_special);
/* Files without a place in any folder, which only the process that maps them leads to. */
bool special_names_is_memfd(const char *name);

#endif
