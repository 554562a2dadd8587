/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug files from debuginfod servers (debuginfod(8)), by build id. Loads elfutils' library when
 * first needed: few machines have it, and network code should stay away from everything else.
 */
#ifndef NAMES_DEBUG_FILES_DEBUGINFOD_H
#define NAMES_DEBUG_FILES_DEBUGINFOD_H

#include "base/err.h"
#include "elf/elf_file.h"

struct debuginfod;

/* Calls @progress (may be NULL) now and then with what is awaited. */
struct debuginfod *debuginfod_new(void (*progress)(void *context, const char *what),
				  void *progress_context);
void debuginfod_free(struct debuginfod *servers); /* NULL is fine */

/* Returns a descriptor of the debug file, owned by the caller. *ret_path (the caller frees it) is
 * where the library keeps it. -ENOENT: no server has it, or there are none; -ETIMEDOUT: nothing
 * came for a while. After a timeout no server is asked again. */
int debuginfod_fetch(struct debuginfod *servers, const struct elf_build_id *build_id,
		     char **ret_path, struct err *err);

#endif
