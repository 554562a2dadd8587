/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug files from debuginfod servers (debuginfod(8)), by build id. elfutils' library is loaded
 * when it is first needed, for few machines have it and the network should be far from everything
 * else.
 */
#ifndef NAMES_DEBUG_FILES_DEBUGINFOD_H
#define NAMES_DEBUG_FILES_DEBUGINFOD_H

#include "base/err.h"
#include "elf/elf_file.h"

struct debuginfod;

/* @progress, which may be NULL, is told now and then what is waited for. */
struct debuginfod *debuginfod_new(void (*progress)(void *context, const char *what),
				  void *progress_context);
void debuginfod_free(struct debuginfod *servers); /* NULL is fine */

/* A descriptor of the debug file, the caller's, and *ret_path (the caller's to free) where the
 * library keeps it. -ENOENT: no server has it, or there are none; -ETIMEDOUT: nothing came for a
 * while. A server that did not answer is not asked again. */
int debuginfod_fetch(struct debuginfod *servers, const struct elf_build_id *build_id,
		     char **ret_path, struct err *err);

#endif
