/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/file_identity.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "tools.h"

struct file {
	char path[TOOLS_PATH];
	int fd;
	struct stat st;
	struct file_identity identity;
};

static struct file open_file(const char *folder)
{
	struct file file;

	tools_build(folder, "program", "c", "-Wl,--build-id=sha1", "int main(void) { return 0; }",
		    file.path);
	file.fd = open(file.path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(fstat(file.fd, &file.st), 0);
	assert_int_equal(file_identity_read(file.fd, NULL, &file.identity), 0);
	return file;
}

static void test_holds(void **state)
{
	struct file file = open_file(*state);
	struct buf out = { 0 };

	assert_true(file.identity.elf);
	assert_true(file_identity_holds(&file.identity, file.fd));
	assert_int_equal(tools_run(&out, "touch -d '2001-01-01 01:01:01.5' '%s'", file.path), 0);
	assert_false(file_identity_holds(&file.identity, file.fd));
	assert_int_equal(file_identity_read(file.fd, NULL, &file.identity), 0);
	assert_true(file_identity_holds(&file.identity, file.fd));
	assert_int_equal(tools_run(&out, "date -d '2001-01-01 01:01:01.5' +%%s%%N"), 0);
	assert_int_equal(file.identity.mtime_ns, strtoll(buf_text(&out), NULL, 10));
	assert_false(file_identity_holds(&file.identity, -1));
	close(file.fd);
	buf_done(&out);
}

static void test_proves(void **state)
{
	struct file file = open_file(*state);
	struct mapped_file mapped = { .dev = file.st.st_dev, .inode = file.st.st_ino };
	uint8_t other[20] = { 1 };

	assert_int_equal(file_identity_prove(&file.identity, file.fd, &mapped), FILE_PROVEN);
	mapped.inode++;
	assert_int_equal(file_identity_prove(&file.identity, file.fd, &mapped), FILE_OTHER);
	mapped.build_id = file.identity.build_id.bytes;
	mapped.build_id_size = 20;
	assert_int_equal(file_identity_prove(&file.identity, file.fd, &mapped), FILE_PROVEN);
	mapped.build_id_size = 19;
	assert_int_equal(file_identity_prove(&file.identity, file.fd, &mapped), FILE_OTHER);
	mapped.inode--;
	mapped.build_id = other;
	mapped.build_id_size = 20;
	assert_int_equal(file_identity_prove(&file.identity, file.fd, &mapped), FILE_OTHER);
	mapped = (struct mapped_file){ 0 };
	assert_int_equal(file_identity_prove(&file.identity, file.fd, &mapped), FILE_OTHER);
	close(file.fd);
}

/* The file system tells generations only if it gives inode numbers again. */
static void test_generation(void **state)
{
	struct file file = open_file(*state);
	struct mapped_file mapped = { .dev = file.st.st_dev,
				      .inode = file.st.st_ino,
				      .has_generation = true };

	file.identity.has_generation = true;
	file.identity.generation = 0x80000007;
	mapped.generation = 0x80000007;
	assert_int_equal(file_identity_prove(&file.identity, file.fd, &mapped), FILE_PROVEN);
	mapped.generation++;
	assert_int_equal(file_identity_prove(&file.identity, file.fd, &mapped), FILE_OTHER);
	mapped.has_generation = false;
	assert_int_equal(file_identity_prove(&file.identity, file.fd, &mapped), FILE_PROVEN);
	close(file.fd);
}

static void test_changed_since(void **state)
{
	const int64_t ms = 1000 * 1000, changed = 1700000000 * INT64_C(1000000000) + 123456789;
	struct file file = open_file(*state);
	struct mapped_file mapped = { .dev = file.st.st_dev, .inode = file.st.st_ino };
	static const struct {
		int64_t after_ms; /* of the mapping, after the change */
		bool by_exec, unlinked, whole_seconds;
		enum file_proof proof;
	} cases[] = {
		{ 100, false, false, false, FILE_PROVEN },
		{ -20, false, false, false, FILE_CHANGED },
		{ 0, false, false, false, FILE_CHANGED }, /* in the same tick */
		{ 7, false, false, false, FILE_CHANGED }, /* the tick may be late */
		{ 0, true, false, false, FILE_PROVEN },
		{ -20, true, false, false, FILE_CHANGED },
		{ -20, false, true, false, FILE_PROVEN }, /* the removal changed it */
		{ 1000, false, false, true, FILE_CHANGED },
		{ 2500, false, false, true, FILE_PROVEN },
	};

	file.identity.mtime_ns = changed - 1000 * ms;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		file.identity.ctime_ns =
			cases[i].whole_seconds ? changed - changed % (1000 * ms) : changed;
		file.identity.unlinked = cases[i].unlinked;
		mapped.by_exec = cases[i].by_exec;
		mapped.mapped_ns = file.identity.ctime_ns + cases[i].after_ms * ms;
		if (file_identity_prove(&file.identity, file.fd, &mapped) != cases[i].proof)
			fail_msg("case %zu", i);
	}
	file.identity.unlinked = true;
	file.identity.mtime_ns = changed;
	mapped.mapped_ns = changed - 20 * ms;
	assert_int_equal(file_identity_prove(&file.identity, file.fd, &mapped), FILE_CHANGED);
	close(file.fd);
}

/* Other contents with the same size and time. */
static void test_again(void **state)
{
	struct file file = open_file(*state);
	struct buf out = { 0 };
	struct stat st;

	assert_int_equal(tools_run(&out, "chmod 711 '%s'", file.path), 0);
	assert_int_equal(fstat(file.fd, &st), 0);
	assert_true(file_identity_is(&file.identity, &st));
	assert_false(file_identity_untouched(&file.identity, &st));
	assert_true(file_identity_again(&file.identity, file.fd, NULL));
	file.identity.build_id.bytes[0]++;
	assert_false(file_identity_again(&file.identity, file.fd, NULL));
	file.identity.build_id.size = 0;
	assert_false(file_identity_again(&file.identity, file.fd, NULL));
	close(file.fd);
	buf_done(&out);
}

/* The device of a copy's file is only known from who read it. */
static void test_copy(void **state)
{
	struct file file = open_file(*state);
	const struct door_file place = { .copy = true,
					 .device = 77,
					 .inode = 5,
					 .ctime_ns = 9,
					 .name = { .device = 78, .inode = 5 } };
	struct mapped_file mapped = { .dev = 78, .inode = 5 };

	assert_int_equal(file_identity_read(file.fd, &place, &file.identity), 0);
	assert_int_equal(file.identity.ctime_ns, 9);
	assert_int_equal(file_identity_prove(&file.identity, file.fd, &mapped), FILE_PROVEN);
	mapped.dev = 77;
	assert_int_equal(file_identity_prove(&file.identity, file.fd, &mapped), FILE_PROVEN);
	mapped.dev = 79;
	assert_int_equal(file_identity_prove(&file.identity, file.fd, &mapped), FILE_OTHER);
	close(file.fd);
}

/* Stands for a file system where fstat reports another device than the kernel's records. */
static void test_other_device(void **state)
{
	struct file file = open_file(*state);
	struct mapped_file mapped = { .dev = file.st.st_dev, .inode = file.st.st_ino };

	file.identity.dev++;
	assert_int_equal(file_identity_prove(&file.identity, file.fd, &mapped), FILE_PROVEN);
	mapped.inode++;
	assert_int_equal(file_identity_prove(&file.identity, file.fd, &mapped), FILE_OTHER);
	close(file.fd);
}

static void test_no_file(void **state)
{
	struct file_identity identity;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_true(file_identity_read(ends[0], NULL, &identity) < 0);
	assert_true(file_identity_read(-1, NULL, &identity) < 0);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holds),	     cmocka_unit_test(test_proves),
		cmocka_unit_test(test_generation),   cmocka_unit_test(test_changed_since),
		cmocka_unit_test(test_again),	     cmocka_unit_test(test_copy),
		cmocka_unit_test(test_other_device), cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}
