/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind rows cached on disk by build id, so that each file is compiled only once. A cache file is
 * mapped read-only, so all processes and runs share its pages. Two instances of prospect may write
 * one file at the same time (rename(2) of a finished file). A damaged or outdated file is compiled
 * again and replaced. Above a size limit the least recently used files are removed.
 */
#ifndef UNWIND_ROW_CACHE_H
#define UNWIND_ROW_CACHE_H

#include "base/err.h"
#include "unwind/row_table.h"

struct row_cache;

/* Creates @folder if needed (mode 0700). NULL: no cache on disk. Never fails: without a usable
 * folder nothing is cached. */
struct row_cache *row_cache_new(const char *folder);
/* Takes this pause while compiling. */
void row_cache_set_pause(struct row_cache *cache, const struct pause *pause);
void row_cache_free(struct row_cache *cache); /* NULL is fine */

/* The rows of an open ELF file (@fd is borrowed for the call): from the cache, otherwise compiled
 * now and written there. The caller frees *ret_table with row_table_free. Errors: as
 * row_table_compile, or from reading the file. */
int row_cache_get(struct row_cache *cache, int fd, struct row_table **ret_table, struct err *err);
/* Like row_cache_get, for the vdso of the running kernel, which no file holds. */
int row_cache_get_vdso(struct row_cache *cache, struct row_table **ret_table, struct err *err);

#endif
