/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FUZZ_TARGET FOLDER: runs every file of the folder through the target, and every beginning of it.
 * In place of libFuzzer's main, so that old finds stay found without clang.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target.h"

enum { MOST_BYTES = 1024 * 1024, MOST_CUTS = 2048 };

/* Each beginning is in memory of its own size, so that what is read behind it is seen. */
static void run_cut(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = calloc(1, size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, bytes, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void run_bytes(const uint8_t *bytes, size_t size)
{
	size_t step = size / MOST_CUTS + 1;

	for (size_t cut = 0; cut < size; cut += step)
		run_cut(bytes, cut);
	run_cut(bytes, size);
}

/* False: not a file. */
static int run_file(int folder, const char *name)
{
	static uint8_t bytes[MOST_BYTES];
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t size = -1;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		size = read(fd, bytes, sizeof(bytes));
	if (fd >= 0)
		close(fd);
	if (size < 0)
		return 0;
	run_bytes(bytes, (size_t)size);
	return 1;
}

int main(int argc, char **argv)
{
	static const uint8_t nothing[1];
	DIR *folder = argc > 1 ? opendir(argv[1]) : NULL;
	int files = 0;

	puts("1..1");
	run_cut(nothing, 0);
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		files += run_file(dirfd(folder), entry->d_name);
	if (folder)
		closedir(folder);
	printf("ok 1 - corpus of %d files\n", files);
	return 0;
}
