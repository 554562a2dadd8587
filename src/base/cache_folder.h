/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A folder of files that can be made again: found by name, written beside and renamed into place,
 * so that two processes may write one at once and a reader sees a whole file or none. Beyond a
 * number of bytes the longest unused are removed.
 *
 * The folder must belong to us and be writable for nobody else; its files are only believed when
 * they are ours. What is in them may still be damaged (a full disk, an earlier version): whoever
 * reads one checks it, and writes it anew under the same name when it is no good.
 *
 * Nothing here fails loudly: without a folder nothing is found and nothing is kept.
 */
#ifndef BASE_CACHE_FOLDER_H
#define BASE_CACHE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct cache_folder;

/* The folder @path is made when needed, with those above it, mode 0700. NULL or "": nothing is
 * kept. @most_bytes: what all files together may take. Never NULL. */
struct cache_folder *cache_folder_new(const char *path, uint64_t most_bytes);
void cache_folder_free(struct cache_folder *folder); /* NULL is fine */
DEFINE_CLEANUP(struct cache_folder *, cache_folder_free);

/* Is anything kept at all? */
bool cache_folder_works(const struct cache_folder *folder);

/* A descriptor to read or map the file @name (no slash; no dot in front), the caller's, and its
 * size; the file counts as used. -ENOENT: there is none to be believed. It never changes: a newer
 * one takes its name, not its place. */
int cache_folder_open(struct cache_folder *folder, const char *name, uint64_t *ret_size);
/* Keeps @size bytes under @name, in place of what was there. Returns 0 or why not; the caller goes
 * on without. */
int cache_folder_write(struct cache_folder *folder, const char *name, const void *bytes,
		       size_t size);
/* Removes a file that turned out to be no good. */
void cache_folder_drop(struct cache_folder *folder, const char *name);

#endif
