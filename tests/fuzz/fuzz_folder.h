/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder for what a target must have as files: in memory where that is to be had, made once, and
 * removed at the end, if it is one that is seen. */
#ifndef TESTS_FUZZ_FUZZ_FOLDER_H
#define TESTS_FUZZ_FUZZ_FOLDER_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"

static char fuzz_folder_path[64];

static inline void fuzz_folder_remove(void)
{
	file_remove_tree(fuzz_folder_path);
}

/* Its path. */
static inline const char *fuzz_folder(void)
{
	if (!fuzz_folder_path[0]) {
		snprintf(fuzz_folder_path, sizeof(fuzz_folder_path), "/dev/shm/fuzz.XXXXXX");
		if (!mkdtemp(fuzz_folder_path)) {
			snprintf(fuzz_folder_path, sizeof(fuzz_folder_path), "/tmp/fuzz.XXXXXX");
			if (!mkdtemp(fuzz_folder_path))
				abort();
		}
		atexit(fuzz_folder_remove);
	}
	return fuzz_folder_path;
}

/* Writes a file, in place of one of that name. */
static inline void fuzz_folder_write(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	close(fd);
}

#endif
