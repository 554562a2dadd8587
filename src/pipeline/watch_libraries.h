/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that a program or library needs, as ld.so(8) would find them. */
#ifndef PIPELINE_WATCH_LIBRARIES_H
#define PIPELINE_WATCH_LIBRARIES_H

#include "elf/elf_file.h"

/* Gives the path of each library that @elf, the file at @path, names (DT_NEEDED) and that is found;
 * borrowed for the call. The sections of @elf have been read. */
void watch_libraries_each(const struct elf_file *elf, const char *path,
			  void (*give)(void *context, const char *path), void *context);

#endif
