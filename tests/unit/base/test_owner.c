/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/owner.h"

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

/* As su -m leaves it: root's files do not go where the user can remove or link them. */
static void a_home_of_somebody_else_is_not_roots(void **state)
{
	char folder[] = "/tmp/prospect-test-XXXXXX", below[64];
	const struct passwd *root = getpwuid(0);
	struct owner owner;

	need_root();
	assert_non_null(root);
	assert_non_null(mkdtemp(folder));
	snprintf(below, sizeof(below), "%s/not/there", folder);
	unsetenv("SUDO_UID");
	setenv("HOME", folder, 1);
	owner_find(&owner);
	assert_string_equal(owner.home, folder);
	assert_true(owner_keeps_in(below));
	assert_int_equal(chown(folder, NOBODY, NOBODY), 0);
	owner_find(&owner);
	assert_string_equal(owner.home, root->pw_dir);
	assert_false(owner_keeps_in(folder));
	assert_false(owner_keeps_in(below));
	setenv("HOME", below, 1);
	owner_find(&owner);
	assert_string_equal(owner.home, root->pw_dir);
	rmdir(folder);
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

/* A folder of root's alone in a place of root's alone; skips where there is none. */
static void root_folder(char *template)
{
	need_root();
	if (!owner_root_alone(template) || !mkdtemp(template)) {
		print_message("needs a /run that is root's alone\n");
		skip();
	}
}

static void groups_are_the_owners(void **state)
{
	struct owner owner;
	gid_t groups[OWNER_MAX_GROUPS], extra = 4711;
	int count;

	need_root();
	assert_int_equal(setgroups(1, &extra), 0);
	setenv("SUDO_UID", "65534", 1);
	setenv("SUDO_GID", "65534", 1);
	owner_find(&owner);
	owner_begin(&owner);
	count = getgroups(OWNER_MAX_GROUPS, groups);
	owner_end(&owner);
	for (int i = 0; i < count; i++)
		assert_int_not_equal(groups[i], extra);
	assert_int_equal(getgroups(OWNER_MAX_GROUPS, groups), 1);
	assert_int_equal(groups[0], extra);
}

/* Finds a user in several groups: @uid, @gid and the groups that id(1) prints. Returns how many. */
static int several_groups(uid_t *uid, gid_t *gid, gid_t *groups)
{
	static const char find[] =
		"for user in $(cut -d: -f4 /etc/group | tr , '\\n' | sort -u); do "
		"id -u $user && id -g $user && id -G $user && exit; done 2> /dev/null";
	FILE *said = popen(find, "r");
	int count = 0;

	assert_non_null(said);
	if (fscanf(said, "%u %u", uid, gid) == 2 && *uid != 0) {
		while (count < OWNER_MAX_GROUPS && fscanf(said, "%u", &groups[count]) == 1)
			count++;
	}
	pclose(said);
	return count;
}

static int by_number(const void *a, const void *b)
{
	gid_t one = *(const gid_t *)a, other = *(const gid_t *)b;

	return one < other ? -1 : one > other;
}

static void groups_are_all_of_the_owners(void **state)
{
	gid_t wanted[OWNER_MAX_GROUPS], groups[OWNER_MAX_GROUPS], gid;
	char number[32];
	struct owner owner;
	int wanted_count, count;
	uid_t uid;

	need_root();
	wanted_count = several_groups(&uid, &gid, wanted);
	if (wanted_count < 2) {
		print_message("needs a user who is in several groups\n");
		skip();
	}
	snprintf(number, sizeof(number), "%u", uid);
	setenv("SUDO_UID", number, 1);
	snprintf(number, sizeof(number), "%u", gid);
	setenv("SUDO_GID", number, 1);
	owner_find(&owner);
	owner_begin(&owner);
	count = getgroups(OWNER_MAX_GROUPS, groups);
	owner_end(&owner);
	assert_int_equal(count, wanted_count);
	qsort(wanted, (size_t)count, sizeof(*wanted), by_number);
	qsort(groups, (size_t)count, sizeof(*groups), by_number);
	assert_memory_equal(groups, wanted, (size_t)count * sizeof(*groups));
}

/* The thread's own, as the kernel has them; NULL: it is not the owner in everything. */
static void *become_owner(void *context)
{
	const struct owner *owner = context;
	gid_t groups[OWNER_MAX_GROUPS];
	bool all;

	owner_begin(owner);
	all = setfsuid((uid_t)-1) == NOBODY && setfsgid((gid_t)-1) == NOBODY &&
	      getgroups(OWNER_MAX_GROUPS, groups) == 2 && groups[0] == 4712 && groups[1] == 4713;
	owner_end(owner);
	all = all && setfsuid((uid_t)-1) == 0 && setfsgid((gid_t)-1) == 0 &&
	      getgroups(OWNER_MAX_GROUPS, groups) == 1 && groups[0] == 4711;
	owner_begin(owner);
	return all ? context : NULL;
}

/* While one thread acts as the owner, the ids of the others stay as they were. */
static void threads_do_not_meet(void **state)
{
	struct owner owner = { .other = true,
			       .uid = NOBODY,
			       .gid = NOBODY,
			       .groups = { 4712, 4713 },
			       .group_count = 2,
			       .our_groups = { 4711 },
			       .our_group_count = 1 };
	gid_t groups[OWNER_MAX_GROUPS], extra = 4711;
	pthread_t thread;
	void *result;

	need_root();
	assert_int_equal(setgroups(1, &extra), 0);
	assert_int_equal(pthread_create(&thread, NULL, become_owner, &owner), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, &owner);
	assert_int_equal(getgroups(OWNER_MAX_GROUPS, groups), 1);
	assert_int_equal(groups[0], extra);
	assert_int_equal(setfsuid((uid_t)-1), 0);
}

static void where_root_is_alone(void **state)
{
	char folder[] = "/run/prospect-test-XXXXXX", path[64], below[64];

	root_folder(folder);
	snprintf(path, sizeof(path), "%s/file", folder);
	assert_true(owner_root_alone(path));
	snprintf(path, sizeof(path), "%s/link", folder);
	assert_int_equal(symlink(".", path), 0);
	snprintf(below, sizeof(below), "%s/link/file", folder);
	assert_false(owner_root_alone(below)); /* a link on the way */
	unlink(path);
	snprintf(below, sizeof(below), "%s/none/file", folder);
	assert_false(owner_root_alone(below));
	snprintf(path, sizeof(path), "%s//./file", folder);
	assert_true(owner_root_alone(path));
	assert_int_equal(chdir(folder), 0);
	assert_true(owner_root_alone("file"));
	assert_int_equal(chmod(folder, 0770), 0);
	assert_false(owner_root_alone("file")); /* a group may write */
	assert_int_equal(chmod(folder, 01777), 0);
	assert_false(owner_root_alone("./file")); /* all users may write, as in /tmp */
	assert_int_equal(chmod(folder, 0700), 0);
	assert_int_equal(chown(folder, NOBODY, 0), 0);
	assert_false(owner_root_alone("file")); /* another user owns it */
	assert_int_equal(chdir("/"), 0);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_sudo_it_is_us),
		cmocka_unit_test(under_sudo_it_is_the_caller),
		cmocka_unit_test(a_home_of_somebody_else_is_not_roots),
		cmocka_unit_test(nonsense_in_the_environment_is_ignored),
		cmocka_unit_test(files_are_made_as_the_owner),
		cmocka_unit_test(groups_are_the_owners),
		cmocka_unit_test(groups_are_all_of_the_owners),
		cmocka_unit_test(threads_do_not_meet),
		cmocka_unit_test(where_root_is_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
