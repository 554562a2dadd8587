/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/door.h"

#include <errno.h>
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

#include "base/cleanup.h"
#include "base/file.h"
#include "base/owner.h"

enum { USER = 61234 }; /* no user has this number */

static const char user[] = "61234";

/* A folder where only root can change what a name means. */
static int make_folder(void **state)
{
	char template[] = "/run/prospect-test-XXXXXX";

	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	umask(022);
	if (geteuid() != 0 || !owner_root_alone(template) || !mkdtemp(template)) {
		*state = NULL;
		return 0;
	}
	*state = strdup(template);
	return chmod(template, 0755) < 0 || chdir(template) < 0 ? -1 : 0;
}

static int remove_folder(void **state)
{
	if (chdir("/") < 0)
		return -1;
	if (*state)
		file_remove_tree(*state);
	free(*state);
	return 0;
}

static void need_folder(void *const *state)
{
	if (*state)
		return;
	print_message("needs root, and a /run that is root's alone\n");
	skip();
}

static void write_file(const char *name, mode_t mode, uid_t owner)
{
	_cleanup_close_ int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, name, strlen(name)), strlen(name));
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(fchown(fd, owner, owner), 0);
}

static void under_sudo(void)
{
	setenv("SUDO_UID", user, 1);
	setenv("SUDO_GID", user, 1);
}

/* The file's own name is what is in it. */
static int try_open(const char *name)
{
	struct err err = { "" };
	_cleanup_close_ int fd = door_open_typed(name, &err);
	char text[64] = "";

	if (fd < 0) {
		assert_string_not_equal(err.text, "");
		return fd;
	}
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	assert_string_equal(text, name);
	return 0;
}

static void root_opens_all(void **state)
{
	need_folder(state);
	write_file("own", 0600, 0);
	write_file("users", 0600, USER);
	assert_int_equal(symlink("own", "link"), 0);
	assert_int_equal(try_open("own"), 0);
	assert_int_equal(try_open("users"), 0);
	close(door_open_typed("link", NULL));
	assert_int_equal(try_open("missing"), -ENOENT);
	assert_int_equal(try_open("."), -EINVAL);
}

/* What the user may read, and what is root's where only root decides what is called so. */
static void under_sudo_the_user_opens(void **state)
{
	need_folder(state);
	write_file("roots", 0600, 0);
	write_file("users", 0600, USER);
	write_file("others", 0600, USER + 1);
	write_file("public", 0644, 0);
	under_sudo();
	assert_int_equal(try_open("users"), 0);
	assert_int_equal(try_open("public"), 0);
	assert_int_equal(try_open("roots"), -EACCES);
	assert_int_equal(try_open("others"), -EACCES);
	assert_int_equal(try_open("missing"), -ENOENT);
}

/* In a folder of root's that the user may not search, as a profile recorded under sudo may be. */
static void under_sudo_where_the_user_may_not_search(void **state)
{
	need_folder(state);
	assert_int_equal(mkdir("closed", 0700), 0);
	write_file("closed/roots", 0600, 0);
	write_file("closed/users", 0600, USER);
	write_file("closed/unreadable", 0200, USER);
	write_file("closed/others", 0600, USER + 1);
	write_file("closed/public", 0644, 0);
	assert_int_equal(mkfifo("closed/pipe", 0644), 0);
	under_sudo();
	assert_int_equal(try_open("closed/roots"), -EACCES);
	assert_int_equal(try_open("closed/users"), 0);
	assert_int_equal(try_open("closed/unreadable"), -EACCES);
	assert_int_equal(try_open("closed/others"), -EACCES);
	assert_int_equal(try_open("closed/public"), -EACCES);
	assert_int_equal(try_open("closed/pipe"), -EINVAL);
}

/* In a folder of the user's, a name may mean anything a moment later. */
static void under_sudo_not_where_others_write(void **state)
{
	need_folder(state);
	assert_int_equal(mkdir("users", 0755), 0);
	assert_int_equal(chown("users", USER, USER), 0);
	write_file("users/roots", 0600, 0);
	write_file("users/own", 0600, USER);
	assert_int_equal(mkdir("all", 0700), 0);
	assert_int_equal(chmod("all", 01777), 0);
	write_file("all/roots", 0600, 0);
	under_sudo();
	assert_int_equal(try_open("users/roots"), -EACCES);
	assert_int_equal(try_open("all/roots"), -EACCES);
	assert_int_equal(try_open("users/own"), 0);
}

/* Nor through a link, even of root's: it may lead to where others write. */
static void under_sudo_links_lead_where_the_user_may(void **state)
{
	need_folder(state);
	write_file("roots", 0600, 0);
	write_file("public", 0644, 0);
	assert_int_equal(symlink("roots", "to-roots"), 0);
	assert_int_equal(symlink("public", "to-public"), 0);
	assert_int_equal(mkdir("closed", 0700), 0);
	write_file("closed/public", 0644, 0);
	assert_int_equal(symlink("closed", "to-closed"), 0);
	under_sudo();
	assert_true(try_open("to-roots") < 0);
	assert_true(try_open("to-closed/public") < 0);
	assert_int_equal(try_open("closed/public"), -EACCES);
	close(door_open_typed("to-public", NULL));
}

static void neither_pipes_nor_folders(void **state)
{
	need_folder(state);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(try_open("pipe"), -EINVAL);
	under_sudo();
	assert_int_equal(try_open("pipe"), -EINVAL);
	assert_int_equal(try_open("folder"), -EINVAL);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		IN_FOLDER(root_opens_all),
		IN_FOLDER(under_sudo_the_user_opens),
		IN_FOLDER(under_sudo_where_the_user_may_not_search),
		IN_FOLDER(under_sudo_not_where_others_write),
		IN_FOLDER(under_sudo_links_lead_where_the_user_may),
		IN_FOLDER(neither_pipes_nor_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
