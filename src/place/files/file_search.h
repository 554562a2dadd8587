/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ways to a mapped file: tried in turn until one leads to the file that was mapped. */
#ifndef PLACE_FILES_FILE_SEARCH_H
#define PLACE_FILES_FILE_SEARCH_H

#include <stdbool.h>

#include "model/words.h"
#include "place/files/file_identity.h"

struct file_search_result {
	int fd;			       /* the caller's; -1: not found */
	struct file_identity identity; /* of the file found */
	bool by_path;		       /* the plain path led to it, and may again */
	enum image_state reason;       /* why not: GONE, DENIED, REPLACED, UNPROVEN or LATE */
	bool exhausted;		       /* a file was there, but no descriptor to be had */
};

/* By the path as we see it, through /proc/PID/root, through /proc/PID/map_files. mapped->path has
 * no " (deleted)". */
struct file_search_result file_search(const struct mapped_file *mapped);
/* By the plain path only. */
struct file_search_result file_search_path(const struct mapped_file *mapped);
/* By the path within the folder @root. */
struct file_search_result file_search_under(const char *root, const struct mapped_file *mapped);
/* A file that was open before, by its path (within @root first, unless that is NULL) and through
 * the root of its process (0: none): only if it did not change. */
struct file_search_result file_search_again(const char *root, const struct mapped_file *mapped,
					    const struct file_identity *identity);

#endif
