/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/jit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "tools.h"

static struct jit_file_owner ours(void)
{
	return (struct jit_file_owner){ .uids = { getuid(), getuid() } };
}

struct fixture {
	char *folder;
	int fd;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->folder = tools_folder();
	fixture->fd = open(fixture->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	close(fixture->fd);
	tools_remove(fixture->folder);
	free(fixture);
	return 0;
}

static void write_at(const struct fixture *fixture, const char *name, int flags, const char *text)
{
	int fd = openat(fixture->fd, name, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* Anybody may put anything there. */
static void test_tricks(void **state)
{
	const struct fixture *fixture = *state;
	struct jit_file_owner owner = ours();
	struct jit_file file = { .fd = -1 };

	write_at(fixture, "good", O_TRUNC, "text");
	assert_int_equal(symlinkat("good", fixture->fd, "link"), 0);
	assert_int_equal(mkfifoat(fixture->fd, "fifo", 0600), 0);
	assert_int_equal(mkdirat(fixture->fd, "folder", 0700), 0);
	assert_int_equal(jit_file_open(fixture->fd, "link", &owner, &file), -EPERM);
	assert_int_equal(jit_file_open(fixture->fd, "fifo", &owner, &file), -EPERM);
	assert_int_equal(jit_file_open(fixture->fd, "folder", &owner, &file), -EPERM);
	assert_int_equal(jit_file_open(fixture->fd, "missing", &owner, &file), -ENOENT);
	assert_int_equal(file.fd, -1);
	assert_int_equal(jit_file_open(fixture->fd, "good", &owner, &file), 0);
	jit_file_close(&file);
}

static void test_strangers(void **state)
{
	const struct fixture *fixture = *state;
	struct jit_file_owner owner = { .uids = { 12345, 12345 } };
	struct jit_file file = { .fd = -1 };

	write_at(fixture, "file", O_TRUNC, "text");
	if (getuid() == 0) {
		assert_int_equal(jit_file_open(fixture->fd, "file", &owner, &file), 0);
		jit_file_close(&file);
		assert_int_equal(fchownat(fixture->fd, "file", 54321, 0, 0), 0);
	}
	assert_int_equal(jit_file_open(fixture->fd, "file", &owner, &file), -EPERM);
}

static void test_older_than_its_owner(void **state)
{
	const struct fixture *fixture = *state;
	const struct timespec times[2] = { { 1000, 0 }, { 1000, 0 } };
	struct jit_file_owner owner = ours();
	struct jit_file file = { .fd = -1 };

	write_at(fixture, "file", O_TRUNC, "text");
	assert_int_equal(utimensat(fixture->fd, "file", times, 0), 0);
	owner.not_before_ns = 1000000000000 + 1;
	assert_int_equal(jit_file_open(fixture->fd, "file", &owner, &file), -ESTALE);
	owner.not_before_ns--;
	assert_int_equal(jit_file_open(fixture->fd, "file", &owner, &file), 0);
	jit_file_close(&file);
}

static void test_growing(void **state)
{
	const struct fixture *fixture = *state;
	struct jit_file_owner owner = ours();
	struct jit_file file;
	char bytes[64];

	write_at(fixture, "file", O_TRUNC, "one ");
	assert_int_equal(jit_file_open(fixture->fd, "file", &owner, &file), 0);
	assert_true(jit_file_look(&file));
	assert_false(jit_file_look(&file));
	assert_int_equal(jit_file_read(&file, file.done, bytes, sizeof(bytes)), 4);
	jit_file_advance(&file, bytes, 4);
	write_at(fixture, "file", O_APPEND, "two ");
	assert_true(jit_file_look(&file));
	assert_int_equal(file.done, 4);
	assert_int_equal(jit_file_read(&file, file.done, bytes, sizeof(bytes)), 4);
	assert_memory_equal(bytes, "two ", 4);
	jit_file_advance(&file, bytes, 4);
	assert_false(jit_file_was_replaced(fixture->fd, "file", &file));

	/* written anew: shorter, then longer than what was read */
	write_at(fixture, "file", O_TRUNC, "new");
	assert_true(jit_file_look(&file));
	assert_int_equal(file.done, 0);
	jit_file_advance(&file, "new", 3);
	write_at(fixture, "file", O_TRUNC, "other text");
	assert_true(jit_file_look(&file));
	assert_int_equal(file.done, 0);

	/* nothing more was understood, or what was is not at hand */
	jit_file_advance(&file, "other text", 10);
	jit_file_advance(&file, "", 0);
	write_at(fixture, "file", O_TRUNC, "longer and other text");
	assert_true(jit_file_look(&file));
	assert_int_equal(file.done, 0);
	jit_file_advance(&file, NULL, 21);
	jit_file_remember(&file);
	write_at(fixture, "file", O_APPEND, ", more");
	assert_true(jit_file_look(&file));
	assert_int_equal(file.done, 21);
	write_at(fixture, "file", O_TRUNC, "something that is longer still");
	assert_true(jit_file_look(&file));
	assert_int_equal(file.done, 0);

	assert_int_equal(unlinkat(fixture->fd, "file", 0), 0);
	assert_false(jit_file_was_replaced(fixture->fd, "file", &file));
	write_at(fixture, "file", O_TRUNC, "another file");
	assert_true(jit_file_was_replaced(fixture->fd, "file", &file));
	jit_file_close(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_tricks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_strangers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_older_than_its_owner, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_growing, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
