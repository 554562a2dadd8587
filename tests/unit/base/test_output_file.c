/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/output_file.h"
#include "base/xalloc.h"

static int enter_folder(void **state)
{
	char *folder = xstrdup("/tmp/output-file-XXXXXX");

	*state = folder;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
	char *folder = *state;
	struct dirent *entry;
	DIR *here = opendir(".");

	while ((entry = readdir(here)))
		unlink(entry->d_name);
	closedir(here);
	rmdir(folder);
	free(folder);
	return 0;
}

/* Names in the folder, without "." and "..". */
static size_t count_files(void)
{
	DIR *here = opendir(".");
	size_t count = 0;

	while (readdir(here))
		count++;
	closedir(here);
	return count - 2;
}

static void assert_file(const char *path, const char *expected)
{
	struct buf buf = { 0 };

	assert_int_equal(file_read(path, 4096, &buf), 0);
	assert_string_equal(buf_text(&buf), expected);
	buf_done(&buf);
}

static void write_old(const char *path)
{
	FILE *file = fopen(path, "w");

	fputs("old", file);
	fclose(file);
}

static void whole_or_not_there(void **state)
{
	struct output_file *file;
	struct stat stat;
	mode_t mask = umask(027);

	assert_int_equal(output_file_open("report", &file, NULL), 0);
	fputs("new", output_file_stream(file));
	fflush(output_file_stream(file));
	assert_int_equal(lstat("report", &stat), -1);
	assert_true(output_file_replaces(file));
	assert_int_equal(output_file_commit(file, NULL), 0);
	output_file_free(file);
	umask(mask);
	assert_file("report", "new");
	assert_int_equal(count_files(), 1);
	assert_int_equal(lstat("report", &stat), 0);
	assert_int_equal(stat.st_mode & 0777, 0640);
}

static void write_new(const char *path)
{
	struct output_file *file;

	assert_int_equal(output_file_open(path, &file, NULL), 0);
	fputs("new!", output_file_stream(file));
	fflush(output_file_stream(file));
	assert_file(path, "old");
	assert_int_equal(output_file_commit(file, NULL), 0);
	output_file_free(file);
	assert_file(path, "new!");
}

/* Only root may give a file away. */
static void owner_stays(uid_t uid, gid_t gid)
{
	struct stat stat;

	write_old("report");
	assert_int_equal(chmod("report", 0604), 0);
	assert_int_equal(chown("report", uid, gid), 0);
	write_new("report");
	assert_int_equal(lstat("report", &stat), 0);
	assert_int_equal(stat.st_mode & 0777, 0604);
	assert_int_equal(stat.st_uid, uid);
	assert_int_equal(stat.st_gid, gid);
	assert_int_equal(count_files(), 1);
	unlink("report");
}

static void mode_and_owner_stay(void **state)
{
	owner_stays(geteuid(), getegid());
	if (geteuid() != 0)
		return;
	owner_stays(12345, 23456);
	owner_stays(12345, getegid());
	owner_stays(geteuid(), 23456);
}

/* A file that was longer is truncated; every hard link has the new contents. */
static void all_names_stay(void **state)
{
	struct output_file *file;
	struct stat stat;

	write_old("report");
	assert_int_equal(link("report", "other"), 0);
	write_new("report");
	assert_file("other", "new!");
	assert_int_equal(output_file_open("other", &file, NULL), 0);
	assert_false(output_file_replaces(file));
	fputs("3rd", output_file_stream(file));
	assert_int_equal(output_file_commit(file, NULL), 0);
	output_file_free(file);
	assert_file("report", "3rd");
	assert_int_equal(lstat("report", &stat), 0);
	assert_int_equal(stat.st_nlink, 2);
	assert_int_equal(count_files(), 2);
}

static void given_up(void **state)
{
	struct output_file *file;

	write_old("report");
	assert_int_equal(output_file_open("report", &file, NULL), 0);
	fputs("half", output_file_stream(file));
	output_file_free(file);
	assert_file("report", "old");
	assert_int_equal(count_files(), 1);
}

/* No process removes temporary files after SIGKILL. */
static void killed_leaves_nothing_behind(void **state)
{
	int folder = open(".", O_TMPFILE | O_WRONLY, 0600), status;
	struct output_file *file;
	pid_t child;

	if (folder < 0)
		skip();
	close(folder);
	write_old("report");
	child = fork();
	if (child == 0) {
		if (output_file_open("report", &file, NULL) == 0 &&
		    fputs("half", output_file_stream(file)) >= 0 &&
		    fflush(output_file_stream(file)) == 0)
			raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_file("report", "old");
	assert_int_equal(count_files(), 1);
}

/* As long as names can be: none is left for a file beside it. */
static void names_of_any_length(void **state)
{
	char name[256] = { 0 };
	struct output_file *file;

	memset(name, 'n', sizeof(name) - 1);
	write_old(name);
	write_new(name);
	unlink(name);
	name[240] = '\0';
	assert_int_equal(output_file_open(name, &file, NULL), 0);
	fputs("new", output_file_stream(file));
	assert_int_equal(output_file_commit(file, NULL), 0);
	output_file_free(file);
	assert_file(name, "new");
	assert_int_equal(count_files(), 1);
}

/* Opens @path and gives it up. Returns what output_file_open did. */
static int open_and_drop(const char *path, struct err *err)
{
	struct output_file *file = NULL;
	int rc = output_file_open(path, &file, err);

	output_file_free(file);
	return rc;
}

static void opening_leaves_nothing_behind(void **state)
{
	struct err err;

	assert_int_equal(open_and_drop("report", &err), 0);
	assert_int_equal(count_files(), 0);
	assert_int_equal(open_and_drop("nowhere/report", &err), -ENOENT);
	assert_non_null(strstr(err.text, "nowhere/report"));
	assert_int_equal(open_and_drop("/tmp", &err), -EISDIR);
	assert_int_equal(open_and_drop(".", &err), -EISDIR);
	assert_int_equal(symlink("nowhere", "link"), 0);
	assert_int_equal(open_and_drop("link", &err), -ENOENT);
	output_file_free(NULL);
}

/* What could not be named in the end is refused before anything is written. */
static void names_that_are_none(void **state)
{
	static const char *const paths[] = { "", "nowhere/", "nowhere//", "nowhere/.",
					     "./nowhere/" };
	struct err err;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_int_equal(open_and_drop(paths[i], &err), -ENOENT);
	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(open_and_drop("folder/", &err), -EISDIR);
	assert_int_equal(rmdir("folder"), 0);
	write_old("file");
	assert_int_equal(open_and_drop("file/", &err), -ENOTDIR);
	assert_file("file", "old");
	assert_int_equal(count_files(), 1);
}

static void links_are_followed(void **state)
{
	struct output_file *file;
	struct stat stat;

	write_old("real");
	assert_int_equal(symlink("real", "link"), 0);
	assert_int_equal(output_file_open("link", &file, NULL), 0);
	fputs("new", output_file_stream(file));
	assert_int_equal(output_file_commit(file, NULL), 0);
	output_file_free(file);
	assert_file("real", "new");
	assert_int_equal(lstat("link", &stat), 0);
	assert_true(S_ISLNK(stat.st_mode));
}

/* /dev/full takes nothing: the oracle of a full disk. It must not be replaced by a file. */
static void a_full_disk_is_reported(void **state)
{
	struct output_file *file;
	struct err err = { "" };
	struct stat stat;

	assert_int_equal(output_file_open("/dev/full", &file, &err), 0);
	fputs("x", output_file_stream(file));
	assert_int_equal(output_file_commit(file, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "/dev/full"));
	output_file_free(file);
	assert_int_equal(lstat("/dev/full", &stat), 0);
	assert_true(S_ISCHR(stat.st_mode));
}

/* Also what did not fit into the buffer, so that it failed while it was written. */
static void a_disk_that_was_full_before(void **state)
{
	static const char block[100000];
	struct output_file *file;

	assert_int_equal(output_file_open("/dev/full", &file, NULL), 0);
	fwrite(block, 1, sizeof(block), output_file_stream(file));
	fflush(output_file_stream(file));
	assert_int_equal(output_file_commit(file, NULL), -ENOSPC);
	output_file_free(file);
}

/* /dev/stdout is such a link. */
static void pipes_without_a_name(void **state)
{
	struct output_file *file;
	char link[64], text[8] = "";
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", ends[1]);
	assert_int_equal(symlink(link, "report"), 0);
	assert_int_equal(output_file_open("report", &file, NULL), 0);
	fputs("piped", output_file_stream(file));
	assert_int_equal(output_file_commit(file, NULL), 0);
	output_file_free(file);
	assert_int_equal(read(ends[0], text, sizeof(text)), 5);
	assert_string_equal(text, "piped");
	assert_int_equal(count_files(), 1);
	close(ends[0]);
	close(ends[1]);
}

/* What wrote to it has done its part. */
static void readers_that_went_away(void **state)
{
	struct output_file *file;
	struct err err = { "" };
	char name[64];
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", ends[1]);
	assert_int_equal(output_file_open(name, &file, &err), 0);
	close(ends[0]);
	fputs("x", output_file_stream(file));
	assert_int_equal(fflush(output_file_stream(file)), EOF);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(output_file_commit(file, &err), 0);
	assert_string_equal(err.text, "");
	output_file_free(file);
	close(ends[1]);
	signal(SIGPIPE, SIG_DFL);
}

/* Makes standard output what @fd is, asks, and puts it back. */
static bool meets_as(int fd, const char *path)
{
	int before = dup(STDOUT_FILENO);
	bool meets;

	assert_true(before >= 0);
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	meets = output_file_meets_stdout(path);
	dup2(before, STDOUT_FILENO);
	close(before);
	return meets;
}

static void names_of_stdout(void **state)
{
	int ends[2], null = open("/dev/null", O_WRONLY), file;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_true(meets_as(ends[1], "-"));
	assert_true(meets_as(ends[1], "/proc/self/fd/1"));
	assert_false(meets_as(ends[1], "/proc/self/fd/2"));
	assert_false(meets_as(ends[1], "nowhere"));
	assert_false(meets_as(null, "/dev/null"));
	write_old("report");
	write_old("other");
	file = open("report", O_WRONLY);
	assert_int_equal(link("report", "name"), 0);
	assert_true(meets_as(file, "name"));
	assert_false(meets_as(file, "other"));
	close(file);
	close(null);
	close(ends[0]);
	close(ends[1]);
}

/* In a session of its own, whose terminal /dev/tty is then, with stdout somewhere else. */
static bool sees_its_terminal(const char *terminal)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		int null = open("/dev/null", O_WRONLY);

		setsid();
		_exit(dup2(null, STDOUT_FILENO) < 0 || open(terminal, O_RDWR) < 0 ||
		      output_file_is_terminal("-") || !output_file_is_terminal("/dev/tty"));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status == 0;
}

static void names_of_terminals(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	char name[64];

	(void)state;
	if (master < 0) {
		print_message("no terminal can be made\n");
		skip();
	}
	assert_int_equal(grantpt(master) | unlockpt(master), 0);
	assert_int_equal(ptsname_r(master, name, sizeof(name)), 0);
	assert_true(output_file_is_terminal(name));
	assert_true(sees_its_terminal(name));
	assert_false(output_file_is_terminal("/dev/null"));
	assert_false(output_file_is_terminal("nowhere"));
	write_old("report");
	assert_false(output_file_is_terminal("report"));
	close(master);
}

/* What did not arrive whole does not take the old one's place. */
static void half_a_file_is_not_moved(void **state)
{
	struct rlimit before, small;
	struct output_file *file;
	int rc;

	write_old("report");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = 2;
	assert_int_equal(output_file_open("report", &file, NULL), 0);
	fputs("more than two bytes", output_file_stream(file));
	setrlimit(RLIMIT_FSIZE, &small);
	rc = output_file_commit(file, NULL);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(rc, -EFBIG);
	output_file_free(file);
	assert_file("report", "old");
	assert_int_equal(count_files(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(whole_or_not_there, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(mode_and_owner_stay, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(all_names_stay, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(given_up, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(killed_leaves_nothing_behind, enter_folder,
						leave_folder),
		cmocka_unit_test_setup_teardown(names_of_any_length, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(opening_leaves_nothing_behind, enter_folder,
						leave_folder),
		cmocka_unit_test_setup_teardown(names_that_are_none, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(links_are_followed, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(half_a_file_is_not_moved, enter_folder,
						leave_folder),
		cmocka_unit_test_setup_teardown(pipes_without_a_name, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(names_of_stdout, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(names_of_terminals, enter_folder, leave_folder),
		cmocka_unit_test(readers_that_went_away),
		cmocka_unit_test(a_full_disk_is_reported),
		cmocka_unit_test(a_disk_that_was_full_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
