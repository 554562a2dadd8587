/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/door.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "foreign/door_walk.h"

enum {
	NOBODY = 61234, /* no user has this number, nor the next */
	SWAPS = 3000, /* with ALL_CASES in the environment; otherwise a fifth */
};

static int swaps(void)
{
	return getenv("ALL_CASES") ? SWAPS : SWAPS / 5;
}

struct place {
	char folder[64];
};

static int make_place(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	umask(022);
	snprintf(place->folder, sizeof(place->folder), "/tmp/door-XXXXXX");
	if (!mkdtemp(place->folder) || chmod(place->folder, 0755) < 0)
		return -1;
	*state = place;
	return chdir(place->folder);
}

static int remove_place(void **state)
{
	struct place *place = *state;

	if (chdir("/") < 0)
		return -1;
	file_remove_tree(place->folder);
	free(place);
	return 0;
}

static void write_file(const char *name, mode_t mode)
{
	_cleanup_close_ int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, name, strlen(name)), strlen(name));
	assert_int_equal(fchmod(fd, mode), 0);
}

static int try_as(uint32_t uid, const char *name)
{
	struct readers readers = { 0 };
	_cleanup_close_ int fd = -1;

	readers_add(&readers, uid);
	fd = door_open(&readers, NULL, name, NULL);
	return fd < 0 ? fd : 0;
}

static int try_ourselves(const char *name, const struct door_root *root, struct err *err)
{
	static const struct readers ourselves = { 0 };
	_cleanup_close_ int fd = door_open(&ourselves, root, name, err);

	return fd < 0 ? fd : 0;
}

static void need_root(void)
{
	if (geteuid() == 0)
		return;
	print_message("only root can be somebody else\n");
	skip();
}

/* ---- what is opened at all ---- */

static void only_regular_files(void **state)
{
	struct err err;

	(void)state;
	write_file("file", 0600);
	assert_int_equal(symlink("file", "link"), 0);
	assert_int_equal(mkfifo("fifo", 0666), 0);
	assert_int_equal(try_ourselves("file", NULL, &err), 0);
	assert_int_equal(try_ourselves("link", NULL, &err), 0);
	assert_int_equal(try_ourselves("fifo", NULL, &err), -EINVAL);
	assert_string_equal(err.text, "not a regular file");
	assert_int_equal(try_ourselves(".", NULL, &err), -EINVAL);
	assert_int_equal(try_ourselves("/dev/zero", NULL, &err), -EINVAL);
	assert_int_equal(try_ourselves("missing", NULL, &err), -ENOENT);
	assert_int_equal(try_ourselves("", NULL, &err), -ENOENT);
}

/* /proc has prospect's own secrets, and links to files that were not named. */
static void nothing_of_proc(void **state)
{
	_cleanup_close_ int fd = -1;
	char name[64];

	(void)state;
	write_file("file", 0644);
	fd = open("file", O_RDONLY | O_CLOEXEC);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	assert_int_equal(try_ourselves(name, NULL, NULL), -ELOOP);
	assert_int_equal(try_ourselves("/proc/self/cwd/file", NULL, NULL), -ELOOP);
	assert_int_equal(try_ourselves("/proc/self/root/etc/passwd", NULL, NULL), -ELOOP);
	assert_int_equal(symlink("/proc/self/cwd/file", "trick"), 0);
	assert_int_equal(try_ourselves("trick", NULL, NULL), -ELOOP);
	assert_int_equal(try_ourselves("/proc/self/environ", NULL, NULL), -ELOOP);
	snprintf(name, sizeof(name), "/proc/%d/environ", getpid());
	assert_int_equal(try_ourselves(name, NULL, NULL), -EINVAL);
	assert_int_equal(try_ourselves("/proc/version", NULL, NULL), -EINVAL);
}

static void sealed_folders(void **state)
{
	const struct door_root sealed = { "inner", true }, open_one = { "inner", false };

	(void)state;
	write_file("outside", 0644);
	assert_int_equal(mkdir("inner", 0700), 0);
	write_file("inner/inside", 0600);
	assert_int_equal(symlink("inside", "inner/link"), 0);
	assert_int_equal(try_ourselves("/inside", &sealed, NULL), 0);
	assert_int_equal(try_ourselves("link", &sealed, NULL), -ELOOP);
	assert_int_equal(try_ourselves("../outside", &sealed, NULL), -EXDEV);
	assert_int_equal(try_ourselves("//link", &open_one, NULL), 0);
	assert_int_equal(try_ourselves("inside", &(struct door_root){ "missing", false }, NULL),
			 -ENOENT);
}

/* ---- whose rights ---- */

static void rights_of_a_user(void **state)
{
	struct readers readers = { 0 };
	struct err err;

	(void)state;
	need_root();
	write_file("public", 0644);
	write_file("private", 0600);
	assert_int_equal(mkdir("closed", 0700), 0);
	write_file("closed/public", 0644);
	assert_int_equal(link("closed/public", "linked"), 0);
	assert_int_equal(link("private", "linked_private"), 0);
	assert_int_equal(try_as(NOBODY, "public"), 0);
	assert_int_equal(try_as(NOBODY, "private"), -EACCES);
	assert_int_equal(try_as(NOBODY, "linked_private"), -EACCES);
	assert_int_equal(try_as(NOBODY, "closed/public"), -EACCES);
	assert_int_equal(try_as(NOBODY, "linked"), 0);
	assert_int_equal(try_as(0, "private"), 0);
	assert_int_equal(chown("private", NOBODY, 0), 0);
	assert_int_equal(try_as(NOBODY, "private"), 0);
	readers_add(&readers, NOBODY);
	readers_add(&readers, NOBODY + 1);
	assert_int_equal(door_open(&readers, NULL, "private", &err), -EACCES);
	assert_string_equal(err.text, "user 61235 has no read permission");
	readers = (struct readers){ .anybody = true };
	assert_int_equal(door_open(&readers, NULL, "private", &err), -EACCES);
	assert_string_equal(err.text, "not world-readable");
}

/* The way to a folder that we name is ours; the folder, and what is below it, the readers'. */
static int lead(const char *target, const char *name, uint32_t owner)
{
	return symlink(target, name) < 0
		       ? -1
		       : fchownat(AT_FDCWD, name, owner, owner, AT_SYMLINK_NOFOLLOW);
}

/* Somebody else's links lead only to what that one may read. */
static void rights_of_those_who_own_links(void **state)
{
	struct err err;

	(void)state;
	need_root();
	write_file("secret", 0600);
	write_file("open", 0644);
	assert_int_equal(mkdir("private", 0700), 0);
	write_file("private/open", 0644);
	assert_int_equal(lead("secret", "to-secret", NOBODY), 0);
	assert_int_equal(lead("open", "to-open", NOBODY), 0);
	assert_int_equal(lead("private", "to-private", NOBODY), 0);
	assert_int_equal(lead("to-secret", "twice", 0), 0);
	assert_int_equal(lead("secret", "own", 0), 0);
	assert_int_equal(try_ourselves("own", NULL, &err), 0);
	assert_int_equal(try_ourselves("to-open", NULL, &err), 0);
	assert_int_equal(try_ourselves("to-secret", NULL, &err), -EACCES);
	assert_string_equal(err.text, "user 61234 has no read permission");
	assert_int_equal(try_ourselves("twice", NULL, &err), -EACCES);
	assert_int_equal(try_ourselves("to-private/open", NULL, &err), -EACCES);
	assert_int_equal(try_as(NOBODY + 1, "to-open"), 0);
	assert_int_equal(try_as(NOBODY + 1, "to-secret"), -EACCES);
}

static void rights_below_a_folder(void **state)
{
	const struct door_root closed = { "closed", false }, named = { "closed/named", false };
	const struct readers nobody = { .uids = { NOBODY }, .count = 1 };
	_cleanup_close_ int fd = -1;

	(void)state;
	need_root();
	assert_int_equal(mkdir("closed", 0700), 0);
	assert_int_equal(mkdir("closed/named", 0755), 0);
	write_file("closed/public", 0644);
	write_file("closed/named/public", 0644);
	write_file("closed/named/private", 0600);
	fd = door_open(&nobody, &named, "public", NULL);
	assert_true(fd >= 0);
	assert_int_equal(door_open(&nobody, &named, "private", NULL), -EACCES);
	assert_int_equal(door_open(&nobody, &closed, "public", NULL), -EACCES);
}

/* A group of the user's, as the system has it. */
static void rights_of_groups(void **state)
{
	const struct passwd *daemon;

	(void)state;
	need_root();
	daemon = getpwnam("daemon");
	if (!daemon)
		skip();
	write_file("file", 0640);
	assert_int_equal(try_as(daemon->pw_uid, "file"), -EACCES);
	assert_int_equal(chown("file", 0, daemon->pw_gid), 0);
	assert_int_equal(try_as(daemon->pw_uid, "file"), 0);
	assert_int_equal(try_as(NOBODY, "file"), -EACCES);
}

static void read_capabilities(struct __user_cap_data_struct *data)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	assert_int_equal(syscall(SYS_capget, &head, data), 0);
}

/* Ids, groups and capabilities are as before, whatever the outcome. */
static void we_stay_ourselves(void **state)
{
	struct __user_cap_data_struct before[_LINUX_CAPABILITY_U32S_3],
		after[_LINUX_CAPABILITY_U32S_3];
	gid_t groups[64], groups_after[64];
	int count = getgroups(64, groups);

	(void)state;
	need_root();
	write_file("public", 0644);
	write_file("private", 0600);
	read_capabilities(before);
	assert_int_equal(try_as(NOBODY, "public"), 0);
	assert_int_equal(try_as(NOBODY, "private"), -EACCES);
	read_capabilities(after);
	assert_memory_equal(before, after, sizeof(before));
	assert_int_equal(setfsuid((uid_t)-1), 0);
	assert_int_equal(setfsgid((gid_t)-1), getegid());
	assert_int_equal(getgroups(64, groups_after), count);
	assert_memory_equal(groups, groups_after, (size_t)count * sizeof(gid_t));
	assert_int_equal(try_as(0, "private"), 0);
}

/* Calls @check in a process of its own, where it may give privileges away. */
static void apart(int (*check)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(check());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* With SECBIT_NO_SETUID_FIXUP (1 << 2), another user's number alone takes no capability away. */
static int keeps_capabilities(void)
{
	if (prctl(PR_SET_SECUREBITS, 1 << 2) < 0)
		return 1;
	return try_as(NOBODY, "private") == -EACCES ? 0 : 2;
}

static int reads_as_user(void)
{
	if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
		return 1;
	if (try_as(0, "own") < 0 || try_as(NOBODY, "own") < 0)
		return 2;
	/* we cannot become the other user: only files that all may read are opened */
	if (try_as(NOBODY + 1, "own") != -EACCES || try_as(NOBODY + 1, "public") < 0)
		return 3;
	return try_as(NOBODY + 1, "own_folder/public") == -EACCES ? 0 : 4;
}

static void other_privileges(void **state)
{
	(void)state;
	need_root();
	write_file("public", 0644);
	write_file("private", 0600);
	write_file("own", 0600);
	assert_int_equal(mkdir("own_folder", 0700), 0);
	write_file("own_folder/public", 0644);
	assert_int_equal(chown("own", NOBODY, NOBODY), 0);
	assert_int_equal(chown("own_folder", NOBODY, NOBODY), 0);
	apart(keeps_capabilities);
	apart(reads_as_user);
}

/* Our groups give no rights to another user. */
static int has_a_group(void)
{
	const gid_t group = NOBODY + 2;

	if (setgroups(1, &group) < 0 || setegid(NOBODY + 3) < 0)
		return 1;
	if (try_as(NOBODY, "of_group") != -EACCES)
		return 2;
	return try_as(NOBODY, "of_first_group") == -EACCES ? 0 : 3;
}

static void our_groups_are_left_behind(void **state)
{
	(void)state;
	need_root();
	write_file("of_group", 0640);
	assert_int_equal(chown("of_group", 0, NOBODY + 2), 0);
	write_file("of_first_group", 0640);
	assert_int_equal(chown("of_first_group", 0, NOBODY + 3), 0);
	apart(has_a_group);
}

static void write_text(const char *name, const char *text)
{
	_cleanup_close_ int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

/* A namespace of mounts where users and groups are those of two files here. -1: not allowed. */
static int take_on_users(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -1;
	return mount("users", "/etc/passwd", NULL, MS_BIND, NULL) < 0 ||
			       mount("groups", "/etc/group", NULL, MS_BIND, NULL) < 0
		       ? -1
		       : 0;
}

static int is_in_several_groups(void)
{
	if (take_on_users() < 0)
		return 0;
	if (try_as(NOBODY, "of_first_group") < 0 || try_as(NOBODY, "of_group") < 0)
		return 1;
	return try_as(NOBODY + 1, "of_group") == -EACCES ? 0 : 2;
}

static void groups_that_list_a_user(void **state)
{
	(void)state;
	need_root();
	write_text("users", "root:x:0:0::/:/bin/sh\nvisitor:x:61234:61237::/:/bin/sh\n"
			    "other:x:61235:61237::/:/bin/sh\n");
	write_text("groups", "root:x:0:\nfirst:x:61237:\nsecond:x:61236:visitor\n");
	write_file("of_group", 0640);
	assert_int_equal(chown("of_group", 0, NOBODY + 2), 0);
	write_file("of_first_group", 0640);
	assert_int_equal(chown("of_first_group", 0, NOBODY + 3), 0);
	apart(is_in_several_groups);
}

/* ---- a name that changes what it leads to ---- */

static void *swap(void *context)
{
	atomic_bool *ended = context;

	for (bool to_secret = false; !atomic_load(ended); to_secret = !to_secret) {
		unlink("next");
		if (to_secret ? symlink("private", "next") : mkfifo("next", 0666))
			break;
		if (rename("next", "name"))
			break;
		unlink("next");
		if (link("public", "next") || rename("next", "name"))
			break;
	}
	return NULL;
}

static void names_that_change(void **state)
{
	const struct readers readers = { .uids = { NOBODY, NOBODY + 1 }, .count = 2 };
	atomic_bool ended = false;
	pthread_t thread;
	struct stat st;

	(void)state;
	need_root();
	write_file("public", 0644);
	write_file("private", 0600);
	write_file("name", 0644);
	assert_int_equal(stat("private", &st), 0);
	assert_int_equal(pthread_create(&thread, NULL, swap, &ended), 0);
	for (int i = 0; i < swaps(); i++) {
		_cleanup_close_ int fd = door_open(&readers, NULL, "name", NULL);
		struct stat opened;

		if (fd < 0)
			continue;
		assert_int_equal(fstat(fd, &opened), 0);
		assert_true(S_ISREG(opened.st_mode));
		assert_int_not_equal(opened.st_ino, st.st_ino);
	}
	atomic_store(&ended, true);
	pthread_join(thread, NULL);
}

static void *take_turns(void *context)
{
	atomic_bool *ended = context;

	while (!atomic_load(ended) &&
	       renameat2(AT_FDCWD, "name", AT_FDCWD, "other", RENAME_EXCHANGE) == 0) {
	}
	return NULL;
}

/* Neither file may be read by both, so there is nothing to open, however the name changes while
 * one is asked after the other. */
static void readers_that_are_led_apart(void **state)
{
	const struct readers readers = { .uids = { NOBODY, NOBODY + 1 }, .count = 2 };
	atomic_bool ended = false;
	pthread_t thread;
	int apart = 0;

	(void)state;
	need_root();
	write_file("name", 0600);
	write_file("other", 0600);
	assert_int_equal(chown("name", NOBODY, NOBODY), 0);
	assert_int_equal(chown("other", NOBODY + 1, NOBODY + 1), 0);
	assert_int_equal(pthread_create(&thread, NULL, take_turns, &ended), 0);
	for (int i = 0; i < swaps(); i++) {
		struct err err;
		_cleanup_close_ int fd = door_open(&readers, NULL, "name", &err);

		assert_true(fd == -EACCES || fd == -ESTALE);
		if (fd == -ESTALE)
			assert_string_equal(err.text, "its path keeps changing");
		apart += fd == -ESTALE;
	}
	atomic_store(&ended, true);
	pthread_join(thread, NULL);
	print_message("led apart %d times of %d\n", apart, swaps());
}

/* ---- sets of readers ---- */

static void sets_of_readers(void **state)
{
	struct readers a = { 0 }, b = { 0 };
	_cleanup_close_ int fd = -1;

	(void)state;
	readers_add(&a, 5);
	readers_add(&a, 6);
	readers_add(&a, 5);
	assert_int_equal(a.count, 2);
	readers_add(&b, 6);
	assert_false(readers_equal(&a, &b));
	readers_join(&b, &a);
	assert_true(readers_equal(&a, &b));
	for (uint32_t i = 0; i < READERS_MOST + 1; i++)
		readers_add(&b, 100 + i);
	assert_true(b.anybody);
	write_file("file", 0644);
	fd = open("file", O_RDONLY | O_CLOEXEC);
	a = (struct readers){ 0 };
	readers_add_owner(&a, fd);
	assert_int_equal(a.uids[0], geteuid());
	assert_false(a.anybody);
	assert_int_equal(fchmod(fd, 0666), 0);
	readers_add_owner(&a, fd);
	assert_true(a.anybody);
}

/* ---- by hand ---- */

static bool is_same(int a, int b)
{
	struct stat of_a, of_b;

	return fstat(a, &of_a) == 0 && fstat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
	       of_a.st_ino == of_b.st_ino;
}

static void walks_alike(const char *path, bool sealed)
{
	_cleanup_close_ int kernel = door_walk(AT_FDCWD, path, sealed, NULL);
	_cleanup_close_ int hand = door_walk_by_hand(AT_FDCWD, path, sealed, NULL);

	if (kernel < 0)
		assert_int_equal(hand, kernel);
	else
		assert_true(is_same(kernel, hand));
}

static void by_hand_as_the_kernel(void **state)
{
	static const char *const paths[] = {
		"file",
		"./file",
		"a//b/../b/./deep",
		"a/b/",
		"file/",
		"file/x",
		"a/b/up/file",
		"absolute",
		"loop",
		"a/missing/../b",
		"missing",
		"..",
		"/",
		"/etc/../etc/passwd",
		"chain",
		"chain/b/deep",
		"empty/",
		"a/b/up",
		"trick/file",
		"dangling",
		"",
		"///etc///",
	};

	(void)state;
	write_file("file", 0644);
	assert_int_equal(mkdir("a", 0755), 0);
	assert_int_equal(mkdir("a/b", 0755), 0);
	write_file("a/b/deep", 0644);
	assert_int_equal(symlink("../..", "a/b/up"), 0);
	assert_int_equal(symlink("/etc/passwd", "absolute"), 0);
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_int_equal(symlink("a/b/../", "chain"), 0);
	assert_int_equal(symlink("/proc/self/cwd", "trick"), 0);
	assert_int_equal(symlink("missing", "dangling"), 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		walks_alike(paths[i], false);
	walks_alike("a/b/deep", true);
	walks_alike("chain", true);
	walks_alike("/etc", true);
	assert_int_equal(door_walk_by_hand(AT_FDCWD, "a/../../x", true, NULL), -EXDEV);
}

/* ---- along mounts ---- */

static int walk_along(const char *mountinfo, const char *name, bool by_hand)
{
	_cleanup_(mounts_freep) struct mounts *mounts = mounts_parse(mountinfo, NULL);
	struct door_way way = { .mounts = mounts };
	_cleanup_close_ int fd = by_hand ? door_walk_by_hand(AT_FDCWD, name, false, &way)
					 : door_walk(AT_FDCWD, name, false, &way);

	return fd < 0 ? fd : 0;
}

/* What is mounted is what the list says, but for one that is newer than the list. */
static int walk_into_mounts(void)
{
	static const char root[] = "1 0 0:1 / / rw - ext4 x rw\n";
	char folder[PATH_MAX], known[sizeof(root) + PATH_MAX + 64];

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", "a", "tmpfs", 0, NULL) < 0)
		return 0;
	if (close(creat("a/file", 0644)) < 0 || !getcwd(folder, sizeof(folder)))
		return 1;
	snprintf(known, sizeof(known), "%s2 1 0:2 / %s/a rw - tmpfs x rw\n", root, folder);
	for (int by_hand = 0; by_hand < 2; by_hand++) {
		if (walk_along(root, "file", by_hand) < 0)
			return 2;
		if (walk_along(root, "a/file", by_hand) != -EREMOTE ||
		    walk_along(root, "a", by_hand) != -EREMOTE ||
		    walk_along(root, "link", by_hand) != -EREMOTE)
			return 3;
		if (walk_along(known, "a/file", by_hand) < 0 ||
		    walk_along(known, "link", by_hand) < 0 ||
		    walk_along(known, "a/../file", by_hand) < 0)
			return 4;
	}
	return 0;
}

static void mounts_that_are_not_listed(void **state)
{
	(void)state;
	need_root();
	write_file("file", 0644);
	assert_int_equal(mkdir("a", 0755), 0);
	assert_int_equal(symlink("a/file", "link"), 0);
	apart(walk_into_mounts);
}

int main(void)
{
#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)
	const struct CMUnitTest tests[] = {
		IN_PLACE(only_regular_files),
		IN_PLACE(nothing_of_proc),
		IN_PLACE(sealed_folders),
		IN_PLACE(rights_of_a_user),
		IN_PLACE(rights_of_those_who_own_links),
		IN_PLACE(rights_below_a_folder),
		IN_PLACE(rights_of_groups),
		IN_PLACE(we_stay_ourselves),
		IN_PLACE(other_privileges),
		IN_PLACE(our_groups_are_left_behind),
		IN_PLACE(groups_that_list_a_user),
		IN_PLACE(names_that_change),
		IN_PLACE(readers_that_are_led_apart),
		IN_PLACE(sets_of_readers),
		IN_PLACE(by_hand_as_the_kernel),
		IN_PLACE(mounts_that_are_not_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
