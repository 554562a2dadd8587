/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FUZZ_TARGET FOLDER: runs every file of the folder through the target, and some beginnings of it;
 * with ALL_CASES in the environment every beginning, each once: many files begin alike.
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

enum { MOST_BYTES = 1024 * 1024, MOST_CUTS = 2048, FEW_CUTS = 12, MOST_KEPT = 64 };

/* Holds back less freed memory than the default of 256 MB, which costs mostly new pages. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "quarantine_size_mb=8";
}

/* Files of which each beginning was run. */
static struct {
	uint8_t bytes[MOST_CUTS];
	size_t size;
} kept[MOST_KEPT];
static size_t kept_count;

/* Copies a beginning into memory of just its size, so that a read past its end is reported. */
static void run_cut(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = calloc(1, size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, bytes, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static size_t same_bytes(const uint8_t *one, size_t one_size, const uint8_t *other,
			 size_t other_size)
{
	size_t same = 0;

	while (same < one_size && same < other_size && one[same] == other[same])
		same++;
	return same;
}

/* The size of the longest beginning that was run. */
static size_t size_known(const uint8_t *bytes, size_t size)
{
	size_t known = 0;

	for (size_t i = 0; i < kept_count; i++) {
		size_t same = same_bytes(bytes, size, kept[i].bytes, kept[i].size);

		known = same > known ? same : known;
	}
	return known;
}

static void run_bytes(const uint8_t *bytes, size_t size)
{
	size_t cuts = getenv("ALL_CASES") ? MOST_CUTS : FEW_CUTS;
	size_t step = size / cuts + 1, known = size_known(bytes, size);

	for (size_t cut = 0; cut < size; cut += step) {
		if (cut > known)
			run_cut(bytes, cut);
	}
	if (size > known)
		run_cut(bytes, size);
	if (step == 1 && kept_count < MOST_KEPT) {
		memcpy(kept[kept_count].bytes, bytes, size);
		kept[kept_count++].size = size;
	}
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
