/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "archive/tar.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

/* ---- archives made by hand: POSIX.1-1988 headers in a frame of zstd whose blocks are not
 * compressed (RFC 8878) ---- */

enum {
	RECORD = 512,
	BLOCK = 100000, /* below the 128 KiB a block may have */
	RAW = 0,
	REPEATED = 1,
};

static void add_member(struct buf *tar, const char *name, char type, const char *link, size_t size)
{
	char header[RECORD] = "";
	unsigned sum = 0;

	snprintf(header, 100, "%s", name);
	snprintf(header + 100, 8, "%07o", 0644);
	snprintf(header + 108, 8, "%07o", 0);
	snprintf(header + 116, 8, "%07o", 0);
	snprintf(header + 124, 12, "%011o", (unsigned)size);
	snprintf(header + 136, 12, "%011o", 1000);
	memset(header + 148, ' ', 8);
	header[156] = type;
	snprintf(header + 157, 100, "%s", link);
	memcpy(header + 257, "ustar\00000", 8);
	for (int i = 0; i < RECORD; i++)
		sum += (unsigned char)header[i];
	snprintf(header + 148, 8, "%06o", sum);
	buf_add(tar, header, sizeof(header));
}

static void add_file(struct buf *tar, const char *name, const char *text)
{
	char padding[RECORD] = "";
	size_t size = strlen(text);

	add_member(tar, name, '0', "", size);
	buf_add(tar, text, size);
	buf_add(tar, padding, (RECORD - size % RECORD) % RECORD);
}

static void add_block(struct buf *frame, bool last, unsigned type, const char *bytes, size_t stored,
		      size_t size)
{
	unsigned header = (unsigned)(size << 3) | type << 1 | last;

	buf_add_char(frame, (char)header);
	buf_add_char(frame, (char)(header >> 8));
	buf_add_char(frame, (char)(header >> 16));
	buf_add(frame, bytes, stored);
}

static void begin_frame(struct buf *frame)
{
	static const char magic[] = { 0x28, (char)0xb5, 0x2f, (char)0xfd, 0x00, 0x58 };

	buf_add(frame, magic, sizeof(magic));
}

/* The frame of a tar, including the end of the archive. */
static struct buf frame_of(const struct buf *tar)
{
	struct buf frame = { 0 };

	begin_frame(&frame);
	for (size_t at = 0; at < tar->size; at += BLOCK) {
		size_t size = tar->size - at < BLOCK ? tar->size - at : BLOCK;

		add_block(&frame, false, RAW, tar->bytes + at, size, size);
	}
	add_block(&frame, true, REPEATED, "", 1, 2 * RECORD);
	return frame;
}

/* What became of an archive. */
struct result {
	int rc;
	struct err err;
	char folder[32];
};

static struct result unpack(const struct buf *frame, uint64_t most_bytes, uint64_t most_members)
{
	const struct tar_limits limits = { most_bytes, most_members };
	struct result result = { .folder = "/tmp/prospect-tar.XXXXXX" };
	_cleanup_close_ int fd = memfd_create("test", MFD_CLOEXEC), at = -1;

	assert_non_null(mkdtemp(result.folder));
	at = open(result.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0 && at >= 0);
	assert_int_equal(write(fd, frame->bytes, frame->size), frame->size);
	lseek(fd, 0, SEEK_SET);
	result.rc = tar_unpack(fd, at, &limits, &result.err);
	if (result.rc == -ENOENT) {
		rmdir(result.folder);
		skip();
	}
	return result;
}

static void assert_refused(struct buf *tar, int wanted, const char *words)
{
	struct buf frame = frame_of(tar);
	struct result result = unpack(&frame, 1 << 20, 10);

	if (result.rc != wanted || !strstr(result.err.text, words))
		fail_msg("%d %s", result.rc, result.err.text);
	file_remove_tree(result.folder);
	buf_done(&frame);
	buf_done(tar);
}

static void good_ones_are_unpacked(void **state)
{
	struct buf tar = { 0 }, frame;
	struct result result;
	char path[64];
	struct stat st;

	add_member(&tar, "files/", '5', "", 0);
	add_file(&tar, "files/a/b..c/.d", "text");
	frame = frame_of(&tar);
	result = unpack(&frame, 4, 2);
	if (result.rc < 0)
		fail_msg("%s", result.err.text);
	snprintf(path, sizeof(path), "%s/files/a/b..c/.d", result.folder);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 4);
	assert_int_equal(st.st_mtime, 1000);
	file_remove_tree(result.folder);
	/* limits are what they say */
	result = unpack(&frame, 3, 2);
	assert_int_equal(result.rc, -EFBIG);
	file_remove_tree(result.folder);
	result = unpack(&frame, 4, 1);
	assert_int_equal(result.rc, -EFBIG);
	file_remove_tree(result.folder);
	buf_done(&frame);
	buf_done(&tar);
}

static void names_lead_nowhere_else(void **state)
{
	static const char *const names[] = { "/tmp/out", "../out",   "a/../../out", "a/..", "./a",
					     "a//b",	 "a/./b/..", "..",	    ".",    "" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct buf tar = { 0 };

		add_file(&tar, names[i], "text");
		assert_refused(&tar, -EPERM, "not a relative path inside the archive");
	}
}

static void only_files_and_folders_are_made(void **state)
{
	/* a hard link, a link, devices, a pipe */
	for (const char *type = "12346"; *type; type++) {
		struct buf tar = { 0 };

		add_file(&tar, "file", "text");
		add_member(&tar, "other", *type, "file", 0);
		assert_refused(&tar, -EPERM, "neither a file nor a folder");
	}
}

static void nothing_is_written_twice(void **state)
{
	struct buf tar = { 0 };

	add_file(&tar, "same", "a");
	add_file(&tar, "same", "b");
	assert_refused(&tar, -EPERM, "duplicate name");
	tar = (struct buf){ 0 };
	add_file(&tar, "same", "a");
	add_file(&tar, "same/below", "b");
	assert_refused(&tar, -EPERM, "same/below");
}

static void a_bomb_is_given_up(void **state)
{
	struct buf tar = { 0 }, frame = { 0 };
	struct result result;

	add_member(&tar, "bomb", '0', "", 1 << 30);
	begin_frame(&frame);
	add_block(&frame, false, RAW, tar.bytes, tar.size, tar.size);
	for (int i = 0; i < (1 << 30) / BLOCK; i++)
		add_block(&frame, false, REPEATED, "", 1, BLOCK);
	result = unpack(&frame, 1 << 20, 10);
	assert_int_equal(result.rc, -EFBIG);
	file_remove_tree(result.folder);
	buf_done(&frame);
	buf_done(&tar);
}

static void what_is_cut_off_or_noise_is_damaged(void **state)
{
	struct buf tar = { 0 }, frame;
	struct result result;

	add_file(&tar, "file", "a text of some length");
	frame = frame_of(&tar);
	for (size_t size = 0; size + 4 < frame.size; size += 37) {
		struct buf cut = { .bytes = frame.bytes, .size = size };

		result = unpack(&cut, 1 << 20, 10);
		if (result.rc != -EBADMSG)
			fail_msg("%zu bytes: %d %s", size, result.rc, result.err.text);
		file_remove_tree(result.folder);
	}
	for (size_t i = 6; i < 60; i++)
		frame.bytes[i] = (char)(i * 77);
	result = unpack(&frame, 1 << 20, 10);
	assert_int_equal(result.rc, -EBADMSG);
	file_remove_tree(result.folder);
	buf_done(&frame);
	buf_done(&tar);
}

/* ---- archives of the writer ---- */

static const char long_name[] =
	"files/a/folder/of/a/name/that/is/longer/than/the/hundred/letters/which/the/first/format/"
	"of/"
	"tar/had/room/for/so/that/it/takes/another/header/caf\xc3\xa9/\xff\xfe.so";

/* Everything the test packs, written to a stream. */
static void pack(FILE *out, int fd)
{
	struct err err = { "" };
	struct tar_writer *writer;

	if (tar_writer_new(out, &writer, &err) == -ENOENT)
		skip();
	assert_int_equal(tar_writer_add_file(writer, long_name, fd, &err), 0);
	assert_int_equal(tar_writer_add_bytes(writer, "empty", "", 0, 0, &err), 0);
	assert_int_equal(
		tar_writer_add_bytes(writer, "text", "hello\n", 6, 1234567890123456789, &err), 0);
	assert_int_equal(tar_writer_finish(writer, &err), 0);
	tar_writer_free(writer);
}

static int file_of(const char *bytes, size_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	return fd;
}

static void assert_holds(const char *folder, const char *name, const char *bytes, size_t size)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, name);
	_cleanup_free_ char *read_back = xcalloc(size + 1, 1);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(read(fd, read_back, size + 1), size);
	assert_memory_equal(read_back, bytes, size);
}

static void what_is_packed_is_unpacked(void **state)
{
	const struct tar_limits limits = { 1 << 20, 100 };
	char folder[] = "/tmp/prospect-tar.XXXXXX", bytes[70000], *archive = NULL;
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int fd = -1, packed = -1, at = -1;
	struct err err = { "" };
	struct stat st;
	size_t size;
	FILE *out = open_memstream(&archive, &size);

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * i >> 7);
	fd = file_of(bytes, sizeof(bytes));
	pack(out, fd);
	fclose(out);
	packed = file_of(archive, size);
	free(archive);
	assert_true(tar_knows(packed));
	assert_int_equal(lseek(packed, 0, SEEK_SET), 0);
	assert_non_null(mkdtemp(folder));
	at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(tar_unpack(packed, at, &limits, &err), 0);
	assert_holds(folder, long_name, bytes, sizeof(bytes));
	assert_holds(folder, "empty", "", 0);
	assert_holds(folder, "text", "hello\n", 6);
	text = xasprintf("%s/text", folder);
	assert_int_equal(stat(text, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_mtim.tv_sec, 1234567890);
	assert_int_equal(st.st_mtim.tv_nsec, 123456789);
	file_remove_tree(folder);
}

static void the_same_files_make_the_same_bytes(void **state)
{
	char *archives[2] = { NULL, NULL };
	size_t sizes[2];

	for (int i = 0; i < 2; i++) {
		FILE *out = open_memstream(&archives[i], &sizes[i]);
		_cleanup_close_ int fd = file_of("same", 4);
		const struct timespec times[2] = { { 1000, 5 }, { 1000, 5 } };

		assert_int_equal(futimens(fd, times), 0);
		pack(out, fd);
		fclose(out);
	}
	assert_int_equal(sizes[0], sizes[1]);
	assert_memory_equal(archives[0], archives[1], sizes[0]);
	free(archives[0]);
	free(archives[1]);
}

static void a_full_disk_is_reported(void **state)
{
	FILE *out = fopen("/dev/full", "w");
	_cleanup_free_ char *bytes = xcalloc(1, 1 << 20);
	struct tar_writer *writer;
	struct err err = { "" };
	uint32_t random = 1;
	int rc;

	if (!out || tar_writer_new(out, &writer, &err) == -ENOENT)
		skip();
	for (size_t i = 0; i < 1 << 20; i++)
		bytes[i] = (char)((random = random * 1664525 + 1013904223) >> 24);
	rc = tar_writer_add_bytes(writer, "noise", bytes, 1 << 20, 0, &err);
	if (rc == 0)
		rc = tar_writer_finish(writer, &err);
	if (rc == 0)
		rc = fflush(out) ? -EIO : 0;
	assert_true(rc < 0);
	tar_writer_free(writer);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_ones_are_unpacked),
		cmocka_unit_test(names_lead_nowhere_else),
		cmocka_unit_test(only_files_and_folders_are_made),
		cmocka_unit_test(nothing_is_written_twice),
		cmocka_unit_test(a_bomb_is_given_up),
		cmocka_unit_test(what_is_cut_off_or_noise_is_damaged),
		cmocka_unit_test(what_is_packed_is_unpacked),
		cmocka_unit_test(the_same_files_make_the_same_bytes),
		cmocka_unit_test(a_full_disk_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
