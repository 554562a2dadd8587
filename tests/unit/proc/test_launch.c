/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A folder for the files of one test. */
struct place {
	char dir[64];
	char path[128]; /* of the last file made */
};

static int setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	strcpy(place->dir, "/tmp/test_launch.XXXXXX");
	if (!mkdtemp(place->dir))
		return -1;
	chmod(place->dir, 0755);
	*state = place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;
	char command[128];
	int rc;

	snprintf(command, sizeof(command), "rm -r %s", place->dir);
	rc = system(command);
	free(place);
	return rc;
}

static const char *make_file(struct place *place, const char *name, const char *text, mode_t mode)
{
	FILE *file;

	snprintf(place->path, sizeof(place->path), "%s/%s", place->dir, name);
	file = fopen(place->path, "w");
	assert_non_null(file);
	fputs(text, file);
	fchmod(fileno(file), mode);
	fclose(file);
	return place->path;
}

static int prepare(const char *const *argv, struct launch *launch, struct err *err)
{
	struct launch_options options = { .argv = (char *const *)argv, .uid = (uid_t)-1 };

	return launch_prepare(&options, launch, err);
}

static int status_of(pid_t pid)
{
	int status = -1;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* Runs a command the whole way; its wait status. */
static int run(const char *const *argv)
{
	struct launch launch;
	struct err err;

	assert_int_equal(prepare(argv, &launch, &err), 0);
	assert_int_equal(launch_go(&launch, &err), 0);
	return status_of(launch.pid);
}

static void test_exit_statuses_pass(void **state)
{
	(void)state;
	assert_int_equal(WEXITSTATUS(run((const char *[]){ "true", NULL })), 0);
	assert_int_equal(WEXITSTATUS(run((const char *[]){ "sh", "-c", "exit 3", NULL })), 3);
	assert_int_equal(WTERMSIG(run((const char *[]){ "sh", "-c", "kill -9 $$", NULL })),
			 SIGKILL);
}

static void test_nothing_runs_before_the_gate(void **state)
{
	struct place *place = *state;
	const char *argv[] = { "touch", "mark", NULL };
	struct launch launch;
	char path[128];

	snprintf(path, sizeof(path), "%s/mark", place->dir);
	argv[1] = path;
	assert_int_equal(prepare(argv, &launch, NULL), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(waitpid(launch.pid, NULL, WNOHANG), 0);
	assert_int_equal(launch_go(&launch, NULL), 0);
	assert_int_equal(status_of(launch.pid), 0);
	assert_int_equal(access(path, F_OK), 0);
}

static void test_given_up_before_the_gate(void **state)
{
	struct launch launch;

	(void)state;
	assert_int_equal(prepare((const char *[]){ "true", NULL }, &launch, NULL), 0);
	launch_abandon(&launch);
	assert_int_equal(waitpid(launch.pid, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_given_up_while_it_runs(void **state)
{
	struct launch launch;

	(void)state;
	assert_int_equal(prepare((const char *[]){ "sh", "-c", "exit 4", NULL }, &launch, NULL), 0);
	assert_int_equal(launch_go(&launch, NULL), 0);
	launch_abandon(&launch);
	assert_int_equal(WEXITSTATUS(status_of(launch.pid)), 4);
}

/* The profiler dies with the gate closed: its child leaves too, and runs nothing. A pipe that only
 * the two of them hold open is closed when both are gone. */
static void test_profiler_dies_before_the_gate(void **state)
{
	struct place *place = *state;
	char mark[128], byte;
	int held[2];
	pid_t pid;

	snprintf(mark, sizeof(mark), "%s/mark", place->dir);
	assert_int_equal(pipe(held), 0);
	pid = fork();
	if (pid == 0) {
		struct launch launch;

		_exit(prepare((const char *[]){ "touch", mark, NULL }, &launch, NULL));
	}
	close(held[1]);
	assert_int_equal(status_of(pid), 0);
	assert_int_equal(read(held[0], &byte, 1), 0);
	close(held[0]);
	assert_int_equal(access(mark, F_OK), -1);
}

static void test_killed_at_the_gate(void **state)
{
	struct launch launch;

	(void)state;
	assert_int_equal(prepare((const char *[]){ "true", NULL }, &launch, NULL), 0);
	kill(launch.pid, SIGINT);
	assert_int_equal(waitid(P_PID, (id_t)launch.pid, NULL, WEXITED | WNOWAIT), 0);
	assert_int_equal(launch_go(&launch, NULL), 0);
	assert_int_equal(WTERMSIG(status_of(launch.pid)), SIGINT);
}

static void check_refusal(const char *name, int rc, int status, const char *text)
{
	struct launch launch;
	struct err err = { "" };

	assert_int_equal(prepare((const char *[]){ name, NULL }, &launch, &err), rc);
	assert_non_null(strstr(err.text, text));
	assert_null(strchr(err.text, '\n'));
	assert_int_equal(launch_exit_status(rc), status);
}

static void test_refused_before_the_fork(void **state)
{
	struct place *place = *state;

	check_refusal("no-such-command-anywhere", -ENOENT, 127, "PATH");
	check_refusal("./no/such/file", -ENOENT, 127, "no such file");
	check_refusal("", -ENOENT, 127, "empty");
	check_refusal("/tmp", -EACCES, 126, "directory");
	check_refusal(make_file(place, "plain", "x\n", 0644), -EACCES, 126, "executable");
	assert_int_equal(launch_exit_status(-EMFILE), 1);
}

static void test_path_is_searched_in_order(void **state)
{
	struct place *place = *state;
	char path[256];
	char *old = strdup(getenv("PATH"));

	make_file(place, "tool", "#!/bin/sh\nexit 7\n", 0755);
	snprintf(path, sizeof(path), "/nowhere:%s:/usr/bin:/bin", place->dir);
	setenv("PATH", path, 1);
	assert_int_equal(WEXITSTATUS(run((const char *[]){ "tool", NULL })), 7);
	/* What may not be executed is passed over ... */
	make_file(place, "true", "exit 9\n", 0644);
	assert_int_equal(WEXITSTATUS(run((const char *[]){ "true", NULL })), 0);
	/* ... and reported if there is nothing else. */
	setenv("PATH", place->dir, 1);
	check_refusal("true", -EACCES, 126, "permission denied");
	setenv("PATH", old, 1);
	free(old);
}

static void test_empty_part_of_path_is_the_current_folder(void **state)
{
	struct place *place = *state;
	char *old = strdup(getenv("PATH")), *before = getcwd(NULL, 0);

	make_file(place, "here", "#!/bin/sh\nexit 8\n", 0755);
	assert_int_equal(chdir(place->dir), 0);
	setenv("PATH", "/nowhere:", 1);
	assert_int_equal(WEXITSTATUS(run((const char *[]){ "here", NULL })), 8);
	setenv("PATH", old, 1);
	assert_int_equal(chdir(before), 0);
	free(before);
	free(old);
}

/* A command in a folder that cannot be searched is "not found". Root can search every folder, so a
 * child runs as the user nobody. */
static void test_locked_folder_on_path(void **state)
{
	struct place *place = *state;
	char path[256];
	pid_t pid;

	make_file(place, "tool", "#!/bin/sh\nexit 7\n", 0755);
	chmod(place->dir, 0600);
	pid = fork();
	if (pid == 0) {
		const char *argv[] = { "tool", NULL };
		struct launch launch;

		if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
			_exit(2);
		snprintf(path, sizeof(path), "%s:/nowhere", place->dir);
		setenv("PATH", path, 1);
		_exit(prepare(argv, &launch, NULL) == -ENOENT ? 0 : 1);
	}
	assert_int_equal(status_of(pid), 0);
	chmod(place->dir, 0755);
}

static void test_script_without_interpreter_line(void **state)
{
	const char *path = make_file(*state, "script", "exit $(($# + 10))\n", 0755);

	assert_int_equal(WEXITSTATUS(run((const char *[]){ path, "a", "b", NULL })), 12);
}

static void test_exec_fails_after_the_gate(void **state)
{
	const char *path = make_file(*state, "script", "#!/no/such/interpreter\n", 0755);
	struct launch launch;
	struct err err;

	assert_int_equal(prepare((const char *[]){ path, NULL }, &launch, &err), 0);
	assert_int_equal(launch_go(&launch, &err), -ENOENT);
	assert_non_null(strstr(err.text, "interpreter"));
	assert_int_equal(waitpid(launch.pid, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
	launch_abandon(&launch);
}

static void on_signal(int number)
{
	(void)number;
}

/* The child has the dispositions of launch_prepare's moment, not those set later; what was ignored
 * stays ignored. The kernel's own words in /proc/PID/status are the oracle. */
static void test_dispositions_are_the_original_ones(void **state)
{
	static const char script[] = "grep -E '^Sig(Ign|Cgt|Blk)' /proc/self/status > $0";
	unsigned long long blocked = 0, ignored = 0, caught = 0;
	struct place *place = *state;
	struct launch launch;
	char out[128];
	FILE *file;

	snprintf(out, sizeof(out), "%s/status", place->dir);
	signal(SIGHUP, SIG_IGN);
	assert_int_equal(
		prepare((const char *[]){ "bash", "-c", script, out, NULL }, &launch, NULL), 0);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, on_signal);
	assert_int_equal(launch_go(&launch, NULL), 0);
	assert_int_equal(status_of(launch.pid), 0);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	file = fopen(out, "r");
	assert_non_null(file);
	assert_int_equal(
		fscanf(file, "SigBlk: %llx SigIgn: %llx SigCgt: %llx", &blocked, &ignored, &caught),
		3);
	fclose(file);
	assert_true(ignored & 1ULL << (SIGHUP - 1));
	assert_false(ignored & 1ULL << (SIGINT - 1));
	assert_false((blocked | caught) & 1ULL << (SIGTERM - 1));
}

/* None of our descriptors reaches the command: the listing has those it had before and ls's own. */
static void test_no_descriptor_leaks(void **state)
{
	struct place *place = *state;
	char with[128], without[128], command[512];

	snprintf(with, sizeof(with), "%s/with", place->dir);
	snprintf(without, sizeof(without), "%s/without", place->dir);
	assert_int_equal(run((const char *[]){ "sh", "-c", "ls /proc/self/fd > $0", with, NULL }),
			 0);
	snprintf(command, sizeof(command), "ls /proc/self/fd > %s; cmp %s %s", without, with,
		 without);
	assert_int_equal(system(command), 0);
}

static void test_dropped_to_another_user(void **state)
{
	static const char script[] = "test \"$(id -u):$(id -g):$(id -G):$USER:$LOGNAME:$HOME\" = "
				     "\"65534:65534:65534:nobody:nobody:$(getent passwd nobody | "
				     "cut -d: -f6)\"";
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct launch_options options = { (char *const *)argv, 65534, 65534, NULL, NULL };
	const gid_t extra = 4;
	struct launch launch;

	(void)state;
	if (geteuid() != 0) {
		print_message("needs root to become another user\n");
		skip();
	}
	/* A group that must not survive. */
	assert_int_equal(setgroups(1, &extra), 0);
	assert_int_equal(launch_prepare(&options, &launch, NULL), 0);
	assert_int_equal(launch_go(&launch, NULL), 0);
	assert_int_equal(status_of(launch.pid), 0);
	options.uid = 4000000123u;
	assert_int_equal(launch_prepare(&options, &launch, NULL), -ESRCH);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_exit_statuses_pass),
		TEST(test_nothing_runs_before_the_gate),
		TEST(test_given_up_before_the_gate),
		TEST(test_given_up_while_it_runs),
		TEST(test_profiler_dies_before_the_gate),
		TEST(test_killed_at_the_gate),
		TEST(test_refused_before_the_fork),
		TEST(test_path_is_searched_in_order),
		TEST(test_empty_part_of_path_is_the_current_folder),
		TEST(test_locked_folder_on_path),
		TEST(test_script_without_interpreter_line),
		TEST(test_exec_fails_after_the_gate),
		TEST(test_dispositions_are_the_original_ones),
		TEST(test_no_descriptor_leaks),
		TEST(test_dropped_to_another_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
