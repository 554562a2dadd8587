/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "foreign/map_query.h"
#include "foreign/mounts.h"
#include "foreign/wire.h"

enum {
	CHUNK_BYTES = 256 * 1024,
	SIGN_EVERY_MS = 100,
};

/* Since Linux 6.3; older headers lack it, older kernels reject it. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

struct serving {
	int socket;
	struct mounts *mounts; /* NULL: none is local */
	struct wire_question question;
	struct wire_answer answer;
	uint64_t signed_ns; /* when we last sent a sign of life */
	char chunk[CHUNK_BYTES];
};

static void show_life(struct serving *serving)
{
	struct wire_answer sign = { .magic = WIRE_MAGIC,
				    .number = serving->question.number,
				    .rc = WIRE_AT_WORK };
	uint64_t now = clock_ns();

	if (now - serving->signed_ns < SIGN_EVERY_MS * NS_PER_MS)
		return;
	serving->signed_ns = now;
	(void)wire_send(serving->socket, &sign, sizeof(sign), -1);
}

/* ---- copies ---- */

static int new_copy(void)
{
	int fd = memfd_create("prospect-copy", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("prospect-copy", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd < 0 ? -errno : fd;
}

static int copy_bytes(struct serving *serving, int from, int to)
{
	uint64_t left = serving->answer.size;

	while (left > 0) {
		size_t wanted = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
		ssize_t got = read(from, serving->chunk, wanted);
		int rc;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0) /* truncated meanwhile */
			return -ESTALE;
		rc = file_write(to, serving->chunk, (size_t)got);
		if (rc < 0)
			return rc;
		left -= (uint64_t)got;
		show_life(serving);
	}
	return 0;
}

/* Gives a copy the owner, time and write permissions of its file. It stays ours if we may not
 * change its owner. */
static void set_facts(int copy, const struct wire_answer *answer)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_NOW },
					   { answer->mtime_s, answer->mtime_ns } };

	(void)futimens(copy, times);
	(void)fchmod(copy, answer->mode & 0666);
	if (fchown(copy, answer->uid, (gid_t)-1) < 0)
		return;
}

/* Readers expect the offset of a newly opened file. */
static int seal(int copy)
{
	const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;

	if (lseek(copy, 0, SEEK_SET) < 0)
		return -errno;
	return fcntl(copy, F_ADD_SEALS, seals) < 0 ? -errno : 0;
}

static int copy_file(struct serving *serving, int from)
{
	_cleanup_close_ int copy = new_copy();
	int rc = copy < 0 ? copy : copy_bytes(serving, from, copy);

	if (rc < 0)
		return rc;
	set_facts(copy, &serving->answer);
	rc = seal(copy);
	return rc < 0 ? rc : steal_fd(copy);
}

/* ---- answers ---- */

static int say(struct serving *serving, int rc, const char *reason)
{
	snprintf(serving->answer.reason, sizeof(serving->answer.reason), "%.*s",
		 (int)sizeof(serving->answer.reason) - 1, reason);
	return rc;
}

/* Passes on the file itself if it turned out to be on a local mount, else a copy. */
static int hand_on(struct serving *serving, int fd)
{
	struct stat st;
	int copy;

	if (fstat(fd, &st) < 0)
		return say(serving, -errno, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return say(serving, -EINVAL, "not a regular file");
	wire_set_stat(&serving->answer, &st);
	if (serving->mounts)
		mounts_refresh(serving->mounts);
	if (serving->mounts && mounts_device_is_local(serving->mounts, st.st_dev))
		return fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (serving->answer.size > serving->question.limit)
		return say(serving, -EFBIG, "too large to copy, and its file system may hang");
	serving->answer.copy = 1;
	(void)mapping_name_read(fd, &serving->answer.name);
	copy = copy_file(serving, fd);
	return copy < 0 ? say(serving, copy, strerror(-copy)) : copy;
}

static int open_for_readers(struct serving *serving, const char *root, const char *name)
{
	const struct wire_question *question = &serving->question;
	const struct door_root below = { .path = root, .sealed = question->sealed != 0 };
	struct readers readers = { .count = question->uid_count,
				   .anybody = question->anybody != 0 };
	_cleanup_close_ int fd = -1;
	struct err err = { 0 };

	memcpy(readers.uids, question->uids, sizeof(readers.uids));
	fd = door_open(&readers, root ? &below : NULL, name, &err);
	return fd < 0 ? say(serving, fd, err.text) : hand_on(serving, fd);
}

static int follow(struct serving *serving, const char *name)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (stat(name, &st) < 0)
		return say(serving, -errno, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return say(serving, -EINVAL, "not a regular file");
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? say(serving, -errno, strerror(errno)) : hand_on(serving, fd);
}

static int tell_stat(struct serving *serving, const char *root, const char *name)
{
	struct stat st;
	int rc = root ? door_stat_below(root, name, &st) : stat(name, &st) < 0 ? -errno : 0;

	if (rc < 0)
		return say(serving, rc, strerror(-rc));
	wire_set_stat(&serving->answer, &st);
	return 0;
}

static int hand_on_bytes(struct serving *serving, const void *bytes, size_t size)
{
	_cleanup_close_ int copy = new_copy();
	int rc = copy < 0 ? copy : file_write(copy, bytes, size);

	if (rc == 0)
		rc = seal(copy);
	if (rc < 0)
		return say(serving, rc, strerror(-rc));
	serving->answer.size = size;
	serving->answer.copy = 1;
	return steal_fd(copy);
}

static int read_text(struct serving *serving, const char *name)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	int rc = file_read(name, (size_t)serving->question.limit, &text);

	/* If reading fails midway (the process ended), pass on the part read so far. */
	if (rc < 0 && text.size == 0)
		return say(serving, rc, strerror(-rc));
	return hand_on_bytes(serving, buf_text(&text), text.size);
}

static int read_part(struct serving *serving, const char *name)
{
	_cleanup_close_ int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	uint64_t limit = serving->question.limit;
	size_t wanted = limit < CHUNK_BYTES ? (size_t)limit : CHUNK_BYTES;
	ssize_t got =
		fd < 0 ? -1 : pread(fd, serving->chunk, wanted, (off_t)serving->question.offset);

	if (got < 0)
		return say(serving, -errno, strerror(errno));
	return hand_on_bytes(serving, serving->chunk, (size_t)got);
}

static int ask_mapping(struct serving *serving, const char *name)
{
	struct map_query query;
	int rc = map_query(name, serving->question.offset, &query);

	return rc < 0 ? say(serving, rc, strerror(-rc))
		      : hand_on_bytes(serving, &query, sizeof(query));
}

static int answer(struct serving *serving, const char *root, const char *name)
{
	switch ((enum wire_kind)serving->question.kind) {
	case WIRE_OPEN:
		return open_for_readers(serving, root, name);
	case WIRE_FOLLOW:
		return follow(serving, name);
	case WIRE_STAT:
		return tell_stat(serving, root, name);
	case WIRE_READ:
		return read_text(serving, name);
	case WIRE_PART:
		return read_part(serving, name);
	case WIRE_MAPPING:
		return ask_mapping(serving, name);
	case WIRE_KIND_COUNT:
		break;
	}
	return -EPROTO;
}

static bool serve_one(struct serving *serving)
{
	const char *root, *name;
	int sent = -1, fd, size, rc;

	size = wire_receive(serving->socket, &serving->question, sizeof(serving->question), &sent);
	if (sent >= 0)
		close(sent);
	if (size <= 0 || !wire_check_question(&serving->question, (size_t)size, &root, &name))
		return false;
	serving->answer =
		(struct wire_answer){ .magic = WIRE_MAGIC, .number = serving->question.number };
	serving->signed_ns = clock_ns();
	fd = answer(serving, root, name);
	serving->answer.rc = fd < 0 ? fd : 0;
	/* WIRE_STAT has no descriptor */
	if (serving->question.kind == WIRE_STAT)
		fd = -1;
	rc = wire_send(serving->socket, &serving->answer, sizeof(serving->answer), fd);
	if (fd >= 0)
		close(fd);
	return rc == 0;
}

void foreign_serve(int socket)
{
	struct serving *serving = xcalloc(1, sizeof(*serving));

	serving->socket = socket;
	serving->mounts = mounts_new();
	while (serve_one(serving))
		;
	mounts_free(serving->mounts);
	free(serving);
}
