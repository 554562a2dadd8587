/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/folder.h"
#include "record/preload_run.h"

/* Beside the test program there is no library: nothing is started, and nothing is left. */
static void test_without_library(void **state)
{
	char *words[] = { (char[]){ "true" }, NULL };
	const struct preload_options options = { .argv = words, .rate_hz = 97 };
	struct record_result result;
	struct err err;
	struct buf maps = { 0 };

	(void)state;
	assert_int_equal(preload_run(&options, &result, &err), -ENOENT);
	assert_non_null(strstr(err.text, "libprospect-preload.so"));
	assert_string_equal(result.path, "");
	assert_false(result.outcome.launched);
	assert_null(getenv("LD_PRELOAD"));
	assert_int_equal(file_read("/proc/self/maps", 1 << 20, &maps), 0);
	assert_null(strstr(buf_text(&maps), "prospect-preload-"));
	buf_done(&maps);
}

/* In a child, under a filter that does @action to the system call @number. */
static bool is_needed_under(unsigned number, unsigned action)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
			_exit(2);
		_exit(preload_is_needed() ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status)); /* the filter has killed only a child of it */
	assert_in_range(WEXITSTATUS(status), 0, 1);
	return WEXITSTATUS(status) == 1;
}

static void test_filters(void **state)
{
	(void)state;
	assert_true(is_needed_under(SYS_perf_event_open, SECCOMP_RET_KILL_PROCESS));
	assert_true(is_needed_under(SYS_perf_event_open, SECCOMP_RET_ERRNO | EPERM));
	assert_true(is_needed_under(SYS_bpf, SECCOMP_RET_KILL_PROCESS));
	/* A filter that is about something else. */
	assert_int_equal(is_needed_under(SYS_acct, SECCOMP_RET_KILL_PROCESS), preload_is_needed());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_library),
		cmocka_unit_test(test_filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
