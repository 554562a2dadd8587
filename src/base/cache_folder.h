/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A folder of files that can be made again. Files are found by name. A writer writes a temporary
 * file and renames it, so two processes may write at once and a reader sees a whole file or none.
 * When the files exceed a number of bytes, the least recently used are removed.
 *
 * The folder must belong to us and be writable by no other user; a file is used only if it is ours.
 * Its content may still be damaged (a full disk, an earlier version): the reader checks it, and
 * writes a bad file again under the same name.
 *
 * Errors here are never fatal: without a folder nothing is found and nothing is kept.
 */
#ifndef BASE_CACHE_FOLDER_H
#define BASE_CACHE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct cache_folder;

/* Creates the folder @path if needed, with its parents, mode 0700. NULL or "": nothing is kept.
 * @most_bytes: the limit for all files together. Never returns NULL. */
struct cache_folder *cache_folder_new(const char *path, uint64_t most_bytes);
void cache_folder_free(struct cache_folder *folder); /* NULL is fine */
DEFINE_CLEANUP(struct cache_folder *, cache_folder_free);

/* True if anything is kept at all. */
bool cache_folder_works(const struct cache_folder *folder);

/* Opens the file @name (no slash, no leading dot) to read or map it. The caller owns the descriptor
 * and gets the file's size; the file counts as used. -ENOENT: no file, or none that is ours. The
 * file never changes: a newer one replaces it under its name. */
int cache_folder_open(struct cache_folder *folder, const char *name, uint64_t *ret_size);
/* Stores @size bytes as @name and replaces an earlier file. Returns 0 or a negative errno, after
 * which the caller goes on without the file. */
int cache_folder_write(struct cache_folder *folder, const char *name, const void *bytes,
		       size_t size);
/* Removes a file that turned out to be bad. */
void cache_folder_drop(struct cache_folder *folder, const char *name);

/*
 * Where we keep files that can be made again: ${XDG_CACHE_HOME:-~/.cache}/prospect/. Root has
 * /var/cache/prospect: root reads only files of its own, also under sudo. The path of the folder
 * @name in it, whether it exists or not. -ENOENT: there is no home folder.
 */
int cache_folder_path(const char *name, char *ret_path, size_t size);

#endif
