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

	assert_true(file_identity_proves(&file.identity, file.fd, &mapped));
	mapped.inode++;
	assert_false(file_identity_proves(&file.identity, file.fd, &mapped));
	mapped.build_id = file.identity.build_id.bytes;
	mapped.build_id_size = 20;
	assert_true(file_identity_proves(&file.identity, file.fd, &mapped));
	mapped.build_id_size = 19;
	assert_false(file_identity_proves(&file.identity, file.fd, &mapped));
	mapped.inode--;
	mapped.build_id = other;
	mapped.build_id_size = 20;
	assert_false(file_identity_proves(&file.identity, file.fd, &mapped));
	mapped = (struct mapped_file){ 0 };
	assert_false(file_identity_proves(&file.identity, file.fd, &mapped));
	close(file.fd);
}

/* A file system whose fstat tells another device than the kernel's records: as if this file's did.
 */
static void test_other_device(void **state)
{
	struct file file = open_file(*state);
	struct mapped_file mapped = { .dev = file.st.st_dev, .inode = file.st.st_ino };

	file.identity.dev++;
	assert_true(file_identity_proves(&file.identity, file.fd, &mapped));
	mapped.inode++;
	assert_false(file_identity_proves(&file.identity, file.fd, &mapped));
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
		cmocka_unit_test(test_holds),
		cmocka_unit_test(test_proves),
		cmocka_unit_test(test_other_device),
		cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}
