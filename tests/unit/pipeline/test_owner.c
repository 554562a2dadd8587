/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "pipeline/owner.h"

enum { NOBODY = 65534 };

static void need_root(void)
{
	if (geteuid() != 0) {
		print_message("needs root\n");
		skip();
	}
}

static void without_sudo_it_is_us(void **state)
{
	struct owner owner;

	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	setenv("HOME", "/somewhere", 1);
	owner_find(&owner);
	assert_false(owner.other);
	assert_int_equal(owner.uid, geteuid());
	assert_string_equal(owner.home, "/somewhere");
}

static void under_sudo_it_is_the_caller(void **state)
{
	struct owner owner;

	need_root();
	setenv("SUDO_UID", "65534", 1);
	setenv("SUDO_GID", "65534", 1);
	setenv("HOME", "/root", 1);
	owner_find(&owner);
	assert_true(owner.other);
	assert_int_equal(owner.uid, NOBODY);
	assert_string_not_equal(owner.home, "/root");
}

static void nonsense_in_the_environment_is_ignored(void **state)
{
	static const char *const wrong[] = {
		"", "x", "-1", "12x", "4294967295", "99999999999", "0"
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct owner owner;

		setenv("SUDO_UID", wrong[i], 1);
		setenv("SUDO_GID", "65534", 1);
		owner_find(&owner);
		assert_false(owner.other);
	}
}

static void files_are_made_as_the_owner(void **state)
{
	struct owner owner = { .other = true, .uid = NOBODY, .gid = NOBODY };
	char folder[] = "/tmp/prospect-test-XXXXXX", path[64], root_only[64];
	struct stat st;
	int fd;

	need_root();
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chmod(folder, 0777), 0);
	snprintf(path, sizeof(path), "%s/file", folder);
	snprintf(root_only, sizeof(root_only), "%s/root", folder);
	close(open(root_only, O_CREAT | O_WRONLY, 0600));
	owner_begin(&owner);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(open(root_only, O_RDONLY) < 0); /* root's rights are away */
	owner_end(&owner);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_uid, NOBODY);
	assert_int_equal(st.st_gid, NOBODY);
	close(fd);
	fd = open(root_only, O_RDONLY); /* and back again */
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	unlink(root_only);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_sudo_it_is_us),
		cmocka_unit_test(under_sudo_it_is_the_caller),
		cmocka_unit_test(nonsense_in_the_environment_is_ignored),
		cmocka_unit_test(files_are_made_as_the_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
