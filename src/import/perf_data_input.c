/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf_data_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

void perf_data_input_begin(struct perf_data_input *input, int fd)
{
	struct stat st;
	off_t at = lseek(fd, 0, SEEK_CUR);

	*input = (struct perf_data_input){ .fd = fd, .size = UINT64_MAX, .end = UINT64_MAX };
	input->buffer = xmalloc(PERF_DATA_BUFFER_BYTES);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && at == 0) {
		input->seekable = true;
		input->size = (uint64_t)st.st_size;
	}
}

void perf_data_input_done(struct perf_data_input *input)
{
	if (input->fd >= 0)
		close(input->fd);
	free(input->buffer);
	*input = (struct perf_data_input){ .fd = -1 };
}

/* Reads at most @size bytes, less at the end; an error is kept and ends the input. */
static size_t read_some(struct perf_data_input *input, uint8_t *bytes, size_t size)
{
	for (;;) {
		ssize_t got = read(input->fd, bytes, size);

		if (got >= 0)
			return (size_t)got;
		if (errno != EINTR) {
			input->error = -errno;
			return 0;
		}
	}
}

/* Buffers at least @size bytes, if that many are left. */
static void fill(struct perf_data_input *input, size_t size)
{
	size_t left = input->filled - input->first;

	if (left >= size)
		return;
	memmove(input->buffer, input->buffer + input->first, left);
	input->first = 0;
	input->filled = left;
	while (input->filled < size && !input->error) {
		size_t got = read_some(input, input->buffer + input->filled,
				       PERF_DATA_BUFFER_BYTES - input->filled);

		if (got == 0)
			break;
		input->filled += got;
	}
}

static size_t buffered(const struct perf_data_input *input, const uint8_t **ret_bytes)
{
	size_t there = input->filled - input->first;

	*ret_bytes = input->buffer + input->first;
	return there < input->end - input->at ? there : (size_t)(input->end - input->at);
}

size_t perf_data_input_peek(struct perf_data_input *input, size_t size, const uint8_t **ret_bytes)
{
	size_t there;

	fill(input, size);
	there = buffered(input, ret_bytes);
	return there < size ? there : size;
}

/* Takes @size bytes in order; @to NULL: drops them. */
static bool consume(struct perf_data_input *input, uint8_t *to, uint64_t size)
{
	while (size > 0) {
		const uint8_t *from;
		size_t want = size < PERF_DATA_BUFFER_BYTES ? (size_t)size : PERF_DATA_BUFFER_BYTES;
		size_t got = perf_data_input_peek(input, want, &from);

		if (got == 0)
			return false;
		if (to) {
			memcpy(to, from, got);
			to += got;
		}
		input->first += got;
		input->at += got;
		size -= got;
	}
	return true;
}

bool perf_data_input_read(struct perf_data_input *input, void *bytes, size_t size)
{
	return consume(input, bytes, size);
}

bool perf_data_input_skip(struct perf_data_input *input, uint64_t size)
{
	if (size > input->end - input->at)
		size = input->end - input->at + 1; /* to the end, and fail there */
	return consume(input, NULL, size);
}

/* Returns all buffered bytes, so that they move once for each buffer and not once for each line. */
static size_t peek_some(struct perf_data_input *input, const uint8_t **ret_bytes)
{
	fill(input, 1);
	return buffered(input, ret_bytes);
}

bool perf_data_input_line(struct perf_data_input *input, size_t limit, struct buf *line,
			  bool *ret_cut)
{
	const uint8_t *bytes, *end = NULL;
	bool some = false;
	size_t there;

	buf_clear(line);
	*ret_cut = false;
	while (!end && (there = peek_some(input, &bytes)) > 0) {
		size_t room = limit - line->size, length;

		end = memchr(bytes, '\n', there);
		length = end ? (size_t)(end - bytes) : there;
		*ret_cut |= length > room;
		buf_add(line, bytes, length < room ? length : room);
		perf_data_input_skip(input, end ? length + 1 : length);
		some = true;
	}
	return some;
}

void perf_data_input_seek(struct perf_data_input *input, uint64_t offset, uint64_t end)
{
	input->first = input->filled = 0;
	input->at = offset;
	input->end = end > offset ? end : offset;
	if (lseek(input->fd, (off_t)offset, SEEK_SET) < 0)
		input->error = -errno;
}

size_t perf_data_input_at(struct perf_data_input *input, uint64_t offset, void *bytes, size_t size)
{
	size_t done = 0;

	while (done < size && offset < INT64_MAX - done) {
		ssize_t got = pread(input->fd, (uint8_t *)bytes + done, size - done,
				    (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

static int open_temporary(void)
{
	const char *folder = secure_getenv("TMPDIR");
	int fd = open(folder && folder[0] == '/' ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC,
		      0600);

	return fd < 0 ? -errno : fd;
}

int perf_data_input_make_seekable(struct perf_data_input *input, struct err *err)
{
	_cleanup_close_ int copy = -1;
	uint64_t copied = 0;
	const uint8_t *bytes;
	size_t got;
	int rc;

	if (input->seekable)
		return 0;
	copy = open_temporary();
	if (copy < 0)
		return err_set(err, copy, "cannot keep a copy of the pipe: %s", strerror(-copy));
	while ((got = perf_data_input_peek(input, PERF_DATA_BUFFER_BYTES, &bytes)) > 0) {
		rc = file_write(copy, bytes, got);
		copied += got;
		if (rc == 0 && copied > PERF_DATA_MAX_COPY)
			rc = -EFBIG;
		if (rc < 0)
			return err_set(err, rc, "cannot keep a copy of the pipe: %s",
				       strerror(-rc));
		input->first += got;
	}
	if (input->error)
		return err_set(err, input->error, "cannot read: %s", strerror(-input->error));
	close(input->fd);
	input->fd = steal_fd(copy);
	input->seekable = true;
	input->size = copied;
	perf_data_input_seek(input, 0, UINT64_MAX);
	return input->error;
}
