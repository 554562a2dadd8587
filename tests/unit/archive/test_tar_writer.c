/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "archive/tar_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "archive/tar_reader.h"
#include "base/tree_removal.h"
#include "base/xalloc.h"

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
	assert_true(tar_reader_knows(packed));
	assert_int_equal(lseek(packed, 0, SEEK_SET), 0);
	assert_non_null(mkdtemp(folder));
	at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(tar_reader_unpack(packed, at, &limits, &err), 0);
	assert_holds(folder, long_name, bytes, sizeof(bytes));
	assert_holds(folder, "empty", "", 0);
	assert_holds(folder, "text", "hello\n", 6);
	text = xasprintf("%s/text", folder);
	assert_int_equal(stat(text, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_mtim.tv_sec, 1234567890);
	assert_int_equal(st.st_mtim.tv_nsec, 123456789);
	tree_removal(folder);
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

static void a_full_disk_is_told(void **state)
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
		cmocka_unit_test(what_is_packed_is_unpacked),
		cmocka_unit_test(the_same_files_make_the_same_bytes),
		cmocka_unit_test(a_full_disk_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
