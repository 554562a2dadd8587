/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf_data_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

static const char PREFIX[] = "data.";

enum { PREFIX_LENGTH = sizeof(PREFIX) - 1, MOST_DIGITS = 6 };

struct perf_data_part *perf_data_parts_add(struct perf_data_parts *parts,
					   struct perf_data_input *input)
{
	struct perf_data_part *part = xcalloc(1, sizeof(*part));

	part->input = input;
	*vec_push(&parts->list) = part;
	return part;
}

static void close_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* The number in "data.N"; false: it is called otherwise. */
static bool number_of(const char *name, unsigned *ret_number)
{
	const char *digits = name + PREFIX_LENGTH;
	size_t length;

	if (strncmp(name, PREFIX, PREFIX_LENGTH) != 0)
		return false;
	length = strspn(digits, "0123456789");
	if (length == 0 || length > MOST_DIGITS || digits[length])
		return false;
	*ret_number = (unsigned)strtoul(digits, NULL, 10);
	return true;
}

static int by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

static int open_part(struct perf_data_parts *parts, int folder, unsigned number, struct err *err)
{
	char name[PREFIX_LENGTH + MOST_DIGITS + 1];
	struct perf_data_input *input;
	int fd;

	snprintf(name, sizeof(name), "%s%u", PREFIX, number);
	fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return err_set(err, -errno, "%s: cannot open: %s", name, strerror(errno));
	input = xcalloc(1, sizeof(*input));
	perf_data_input_begin(input, fd);
	perf_data_parts_add(parts, input);
	if (!input->seekable)
		return err_set(err, -EINVAL, "%s: no regular file", name);
	return 0;
}

int perf_data_parts_add_folder(struct perf_data_parts *parts, int folder, struct err *err)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	_cleanup_(close_dir) DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	VEC(unsigned) numbers = { NULL, 0, 0 };
	const struct dirent *entry;
	unsigned number;

	if (!dir)
		return err_set(err, -errno, "cannot be read: %s", strerror(errno));
	while ((entry = readdir(dir)) && numbers.count < PERF_DATA_MAX_PARTS) {
		if (number_of(entry->d_name, &number))
			*vec_push(&numbers) = number;
	}
	if (numbers.count)
		qsort(numbers.items, numbers.count, sizeof(unsigned), by_number);
	for (size_t i = 0; rc == 0 && i < numbers.count; i++)
		rc = open_part(parts, folder, numbers.items[i], err);
	vec_free(&numbers);
	return rc;
}

struct perf_data_part *perf_data_parts_next(const struct perf_data_parts *parts)
{
	struct perf_data_part *next = NULL;

	for (size_t i = 0; i < parts->list.count; i++) {
		struct perf_data_part *part = parts->list.items[i];

		if (!part->ended && (!next || part->last_ns < next->last_ns))
			next = part;
	}
	return next;
}

void perf_data_parts_done(struct perf_data_parts *parts)
{
	for (size_t i = 0; i < parts->list.count; i++) {
		struct perf_data_part *part = parts->list.items[i];

		zstd_stream_free(part->zstd);
		buf_done(&part->plain);
		if (i > 0) {
			perf_data_input_done(part->input);
			free(part->input);
		}
		free(part);
	}
	vec_free(&parts->list);
}
