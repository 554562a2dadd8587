/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf_data_parts.h"

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

enum { PREFIX_LENGTH = sizeof(PREFIX) - 1, MOST_DIGITS = 9 };

/* The name of a file "data.N", which may have leading zeroes. */
struct name {
	unsigned number;
	char text[PREFIX_LENGTH + MOST_DIGITS + 1];
};

struct perf_data_part *perf_data_parts_add(struct perf_data_parts *parts,
					   struct perf_data_input *input)
{
	struct perf_data_part *part = xcalloc(1, sizeof(*part));

	part->input = input;
	*vec_push(&parts->list) = part;
	return part;
}

/* Opens the folder once more, so that @folder's own position stays. NULL and errno on failure. */
static DIR *open_dir(int folder)
{
	_cleanup_close_ int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (dir)
		steal_fd(fd);
	return dir;
}

/* True if the name is "data.N". */
static bool read_name(const char *text, struct name *ret_name)
{
	const char *digits = text + PREFIX_LENGTH;
	size_t length;

	if (strncmp(text, PREFIX, PREFIX_LENGTH) != 0)
		return false;
	length = strspn(digits, "0123456789");
	if (length == 0 || length > MOST_DIGITS || digits[length])
		return false;
	ret_name->number = (unsigned)strtoul(digits, NULL, 10);
	memcpy(ret_name->text, text, PREFIX_LENGTH + length + 1);
	return true;
}

static int by_number(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return strcmp(x->text, y->text);
}

static int open_part(struct perf_data_parts *parts, int folder, const char *name, struct err *err)
{
	struct perf_data_input *input;
	int fd;

	fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return err_set(err, -errno, "%s: cannot open: %s", name, strerror(errno));
	input = xcalloc(1, sizeof(*input));
	perf_data_input_begin(input, fd);
	perf_data_parts_add(parts, input);
	if (!input->seekable)
		return err_set(err, -EINVAL, "%s: not a regular file", name);
	return 0;
}

int perf_data_parts_add_folder(struct perf_data_parts *parts, int folder, size_t *ret_left_out,
			       struct err *err)
{
	_cleanup_closedir_ DIR *dir = open_dir(folder);
	VEC(struct name) names = { NULL, 0, 0 };
	const struct dirent *entry;
	struct name name;
	size_t count;
	int rc = 0;

	if (!dir)
		return err_set(err, -errno, "cannot be read: %s", strerror(errno));
	while ((entry = readdir(dir))) {
		if (read_name(entry->d_name, &name))
			*vec_push(&names) = name;
	}
	if (names.count)
		qsort(names.items, names.count, sizeof(*names.items), by_number);
	count = names.count < PERF_DATA_MAX_PARTS ? names.count : PERF_DATA_MAX_PARTS;
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = open_part(parts, folder, names.items[i].text, err);
	*ret_left_out = names.count - count;
	vec_free(&names);
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
