/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The paths to a mapped file, tried in turn until one leads to the file that was mapped. */
#ifndef PLACE_FILES_FILE_SEARCH_H
#define PLACE_FILES_FILE_SEARCH_H

#include <stdbool.h>

#include "model/words.h"
#include "place/files/file_identity.h"

struct file_search_result {
	int fd;			       /* the caller's; -1: not found */
	struct file_identity identity; /* of the file found */
	bool by_path;		       /* found by its plain path, which may lead to it again */
	enum image_state reason;       /* why not found: GONE, DENIED, REPLACED, UNPROVEN or LATE */
	bool exhausted;		       /* a file was there, but no free descriptor */
};

/* Tries the path as we see it, /proc/PID/root and /proc/PID/map_files, in this order. mapped->path
 * must not end in " (deleted)". */
struct file_search_result file_search(const struct mapped_file *mapped);
/* Tries the plain path only. */
struct file_search_result file_search_path(const struct mapped_file *mapped);
/* Tries the path within the folder @root. */
struct file_search_result file_search_under(const char *root, const struct mapped_file *mapped);
/* Reopens a file that was open before, if it did not change: by its path (within @root first,
 * unless NULL), then through the root of its process (0: none). */
struct file_search_result file_search_again(const char *root, const struct mapped_file *mapped,
					    const struct file_identity *identity);

#endif
