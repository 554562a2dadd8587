/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiled rows kept on disk by build id, so that a file is compiled once. A cache file is mapped
 * read-only: all processes and all runs share its pages. Two prospects may write one at once
 * (rename(2) of a finished file); a damaged or outdated one is compiled anew and replaced; beyond
 * a number of bytes the longest unused are removed.
 */
#ifndef UNWIND_ROW_CACHE_H
#define UNWIND_ROW_CACHE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "unwind/row_table.h"

struct row_cache;

/* @folder is made when needed (mode 0700); NULL: nothing is kept on disk. Never fails: a folder
 * that cannot be used is done without. */
struct row_cache *row_cache_new(const char *folder);
/* Files are compiled with this pause. */
void row_cache_set_pause(struct row_cache *cache, const struct pause *pause);
void row_cache_free(struct row_cache *cache); /* NULL is fine */

/* The rows of an open ELF file (@fd borrowed for the call): from disk, else compiled now and
 * written there. *ret_table is the caller's: row_table_free. Errors as row_table_compile, or of
 * reading the file. */
int row_cache_get(struct row_cache *cache, int fd, struct row_table **ret_table, struct err *err);
/* The same for the vdso of this kernel, which no file holds. */
int row_cache_get_vdso(struct row_cache *cache, struct row_table **ret_table, struct err *err);

#endif
