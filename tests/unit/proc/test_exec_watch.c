/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/exec_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/vec.h"

struct taken {
	VEC(int) fds;
};

static void take(void *context, int fd)
{
	struct taken *taken = context;

	*vec_push(&taken->fds) = fd;
}

static void taken_done(struct taken *taken)
{
	for (size_t i = 0; i < taken->fds.count; i++)
		close(taken->fds.items[i]);
	vec_free(&taken->fds);
}

/* A watch, or a skipped test that says why. */
static struct exec_watch *new_watch(void)
{
	struct exec_watch *watch = NULL;
	struct err err;

	if (exec_watch_new(&watch, &err) != 0) {
		print_message("%s\n", err.text);
		skip();
	}
	return watch;
}

/* Is this descriptor the file (dev, inode), and does it read as ELF? */
static bool is_program(int fd, const struct stat *wanted, nlink_t *ret_links)
{
	unsigned char magic[4] = { 0 };
	struct stat status;

	if (fstat(fd, &status) != 0 || status.st_ino != wanted->st_ino ||
	    status.st_dev != wanted->st_dev)
		return false;
	*ret_links = status.st_nlink;
	return pread(fd, magic, 4, 0) == 4 && memcmp(magic, "\177ELF", 4) == 0;
}

static void test_program_deleted_at_once(void **state)
{
	char dir[] = "/tmp/test_exec_watch.XXXXXX", command[512], path[128];
	struct exec_watch *watch = new_watch();
	struct taken taken = { 0 };
	struct stat copy;
	size_t found = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/prog", dir);
	snprintf(command, sizeof(command), "cp /bin/true %s && chmod 700 %s", path, path);
	assert_int_equal(system(command), 0);
	assert_int_equal(stat(path, &copy), 0);
	snprintf(command, sizeof(command), "%s && rm %s", path, path);
	assert_int_equal(system(command), 0);
	assert_true(exec_watch_drain(watch, take, &taken) > 0);
	for (size_t i = 0; i < taken.fds.count; i++) {
		nlink_t links = 99;

		if (!is_program(taken.fds.items[i], &copy, &links))
			continue;
		found++;
		assert_int_equal(links, 0);
		assert_true(fcntl(taken.fds.items[i], F_GETFD) & FD_CLOEXEC);
	}
	assert_int_equal(found, 1);
	rmdir(dir);
	taken_done(&taken);
	exec_watch_free(watch);
}

/* Everything that was executed comes once: 50 copies, 50 descriptors; then the queue is empty of
 * them. */
static void test_each_program_once(void **state)
{
	static const char script[] =
		"d=$(mktemp -d) && for i in 1 2 3 4 5 6 7 8 9 10; do cp /bin/true $d/$i; "
		"for j in 1 2 3 4 5; do $d/$i; done; done && stat -c %i $d/* && rm -r $d";
	struct exec_watch *watch = new_watch();
	unsigned long inodes[10];
	struct taken taken = { 0 };
	FILE *pipe = popen(script, "r");
	size_t found = 0;

	(void)state;
	assert_non_null(pipe);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(fscanf(pipe, "%lu", &inodes[i]), 1);
	assert_int_equal(pclose(pipe), 0);
	assert_true(exec_watch_drain(watch, take, &taken) >= 50);
	for (size_t i = 0; i < taken.fds.count; i++) {
		struct stat status;

		assert_int_equal(fstat(taken.fds.items[i], &status), 0);
		for (size_t j = 0; j < 10; j++)
			found += status.st_ino == inodes[j] && status.st_nlink == 0;
	}
	/* The kernel may merge equal events of one process that follow each other: these are of
	 * different processes. */
	assert_int_equal(found, 50);
	taken_done(&taken);
	exec_watch_free(watch);
}

static void test_without_privilege(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		struct exec_watch *watch = NULL;

		if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
			_exit(2);
		_exit(exec_watch_new(&watch, NULL) == -EPERM && !watch ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	exec_watch_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program_deleted_at_once),
		cmocka_unit_test(test_each_program_once),
		cmocka_unit_test(test_without_privilege),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
