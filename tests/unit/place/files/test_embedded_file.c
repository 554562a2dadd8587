/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/embedded_file.h"

#include <elf.h>
#include <errno.h>

#include "place/files/image_files_fixture.h"

enum { FIRST = 4096, SECOND = 1024 * 1024, END = 2 * 1024 * 1024 };

/* A file with the programs "one" and "two" at FIRST and SECOND, and something behind. */
static void contain(const struct fixture *fixture, char path[TOOLS_PATH])
{
	snprintf(path, TOOLS_PATH, "%s/container", fixture->folder);
	run("printf PK > '%s' && truncate -s %d '%s' && cat '%s' >> '%s'", path, FIRST, path,
	    fixture->one, path);
	run("truncate -s %d '%s' && cat '%s' >> '%s' && truncate -s %d '%s'", SECOND, path,
	    fixture->two, path, END, path);
}

static struct elf_segment code_of(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	const struct elf_segments *segments;
	struct elf_segment code = { 0 };

	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	segments = elf_file_segments(file);
	for (size_t i = 0; i < segments->list.count; i++) {
		if (segments->list.items[i].executable)
			code = segments->list.items[i];
	}
	assert_int_not_equal(code.size, 0);
	return code;
}

static uint64_t found(int fd, uint64_t offset)
{
	uint64_t base = 0;

	return embedded_file_find(fd, offset, &base) ? base : 0;
}

static void test_find(void **state)
{
	struct fixture *fixture = *state;
	char path[TOOLS_PATH];
	uint64_t code = code_of(fixture->one).offset & -(uint64_t)4096;
	_cleanup_close_ int fd = -1;

	contain(fixture, path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(found(fd, 0), 0);
	assert_int_equal(found(fd, FIRST), FIRST);
	assert_int_equal(found(fd, FIRST + code), FIRST);
	assert_int_equal(found(fd, SECOND), SECOND);
	assert_int_equal(found(fd, SECOND + code), SECOND);
	/* what none of them loads */
	assert_int_equal(found(fd, SECOND - 4096), 0);
	assert_int_equal(found(fd, END - 4096), 0);
	assert_int_equal(found(fd, 1ULL << 62), 0);
	/* a header without segments in between does not hide the file */
	if (code > 0) {
		assert_int_equal(pwrite(fd, ELFMAG, SELFMAG, (off_t)(SECOND + code)), SELFMAG);
		assert_int_equal(found(fd, SECOND + code), SECOND);
	}
}

static void test_copy(void **state)
{
	struct fixture *fixture = *state;
	struct elf_build_id two = build_id_of(fixture->two);
	struct file_identity identity, copied;
	char path[TOOLS_PATH];
	_cleanup_close_ int fd = -1, copy = -1;
	struct stat whole, st;

	contain(fixture, path);
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(stat(fixture->two, &whole), 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(file_identity_read(fd, NULL, &identity), 0);
	assert_false(identity.elf);
	assert_int_equal(embedded_file_copy(fd, FIRST + 4096, &identity), -ENOEXEC);
	assert_false(identity.elf);
	copy = embedded_file_copy(fd, SECOND, &identity);
	assert_true(copy >= 0 && identity.elf && identity.copy);
	assert_memory_equal(&identity.build_id, &two, sizeof(two));
	assert_int_equal(identity.size, END);
	assert_int_equal(file_identity_read(copy, NULL, &copied), 0);
	assert_int_equal(copied.size, whole.st_size);
	/* whoever may write to the container chose what is in it */
	assert_int_equal(fstat(copy, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0666);
}

/* Headers that lie about sizes. */
static void test_hostile(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		size_t size;
	} rows[] = {
		{ offsetof(Elf64_Ehdr, e_phoff), UINT64_MAX, 8 },
		{ offsetof(Elf64_Ehdr, e_phoff), END, 8 },
		{ offsetof(Elf64_Ehdr, e_phnum), UINT16_MAX, 2 },
		{ offsetof(Elf64_Ehdr, e_phentsize), 0, 2 },
		{ offsetof(Elf64_Ehdr, e_phentsize), 8, 2 },
		{ sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, p_filesz), UINT64_MAX, 8 },
		{ sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, p_offset), UINT64_MAX - 4095, 8 },
	};
	struct fixture *fixture = *state;
	char path[TOOLS_PATH];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct file_identity identity = { .size = END };
		_cleanup_close_ int fd = -1;

		contain(fixture, path);
		fd = open(path, O_RDWR | O_CLOEXEC);
		assert_int_equal(
			pwrite(fd, &rows[i].value, rows[i].size, (off_t)(SECOND + rows[i].at)),
			(ssize_t)rows[i].size);
		found(fd, SECOND + 8192);
		assert_true(embedded_file_copy(fd, SECOND, &identity) < 0 || identity.elf);
	}
}

static void test_names(void **state)
{
	static const char *const others[] = { "",     "/a",	"/a!",	   "/a!0x",    "/a!0x0",
					      "/a!1", "/a!0xg", "/a!0x1 ", "/a!0x1/b", "/a!-0x1" };
	_cleanup_free_ char *name = embedded_file_name("/a!0x1/b!c.apk", 0x12000),
			    *container = NULL;
	uint64_t base;

	(void)state;
	assert_string_equal(name, "/a!0x1/b!c.apk!0x12000");
	assert_true(embedded_file_parse(name, &container, &base));
	assert_string_equal(container, "/a!0x1/b!c.apk");
	assert_int_equal(base, 0x12000);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(embedded_file_parse(others[i], &container, &base));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_find),
		CASE(test_copy),
		CASE(test_hostile),
		CASE(test_names),
	};

	return cmocka_run_group_tests(tests, set_up_group, tear_down_group);
}
