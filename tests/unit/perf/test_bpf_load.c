/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/bpf_load.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"

static const struct bpf_load_words words = {
	.doing = "looking",
	.try = "sudo look",
	.programs = "the lookers",
	.release = "5.99",
};

#define NOT_THIS_ROOT                                                                          \
	"looking: root lacks CAP_BPF and CAP_PERFMON (in a container?), or a security module " \
	"forbids BPF"

/* There every failure has one reason. */
static void skip_locked_down(void)
{
	enum { LIMIT = 4096 };
	_cleanup_(buf_done) struct buf state = { 0 };

	if (file_read("/sys/kernel/security/lockdown", LIMIT, &state) == 0 &&
	    strstr(buf_text(&state), "[confidentiality]")) {
		print_message("this kernel is locked down\n");
		skip();
	}
}

static void assert_says(const struct bpf_load_words *said, int rc, const char *wanted)
{
	struct err err = { "" };

	assert_int_equal(bpf_load_explain(said, rc, &err), rc);
	assert_string_equal(err.text, wanted);
}

static void each_failure_has_its_reason(void **state)
{
	skip_locked_down();
	assert_says(&words, -EPERM,
		    geteuid() == 0 ? NOT_THIS_ROOT
				   : "looking needs root, or CAP_BPF and CAP_PERFMON: try "
				     "'sudo look'");
	assert_says(&words, -EACCES,
		    "this kernel's verifier or a security module rejected the lookers: "
		    "Permission denied");
	assert_says(&words, -ENOSYS, "this kernel has no BPF");
	assert_says(&words, -ENOMEM, "cannot load the lookers: Cannot allocate memory");
	assert_says(&words, -EMFILE, "cannot load the lookers: Too many open files");
	assert_says(&words, -EINVAL,
		    "this kernel cannot load the lookers (needs Linux 5.99): Invalid argument");
}

static void no_command_need_be_named(void **state)
{
	struct bpf_load_words quiet = words;

	skip_locked_down();
	quiet.try = NULL;
	assert_says(&quiet, -EPERM,
		    geteuid() == 0 ? NOT_THIS_ROOT
				   : "looking needs root, or CAP_BPF and CAP_PERFMON");
}

/* Missing type information is reported rather than the kernel's age. */
static void kernels_without_types_are_reported(void **state)
{
	struct bpf_load_words typed = words;

	skip_locked_down();
	typed.types = true;
	if (access("/sys/kernel/btf/vmlinux", R_OK) == 0)
		assert_says(&typed, -ESRCH,
			    "this kernel cannot load the lookers (needs Linux 5.99): No such "
			    "process");
	else
		assert_says(&typed, -ESRCH,
			    "this kernel has no type information (CONFIG_DEBUG_INFO_BTF)");
}

static void assert_last_words(const char *log, const char *wanted)
{
	size_t length;
	const char *said = bpf_load_last_words(log, &length);

	assert_int_equal(length, strlen(wanted));
	assert_memory_equal(said, wanted, length);
}

static void the_last_words_are_the_reason(void **state)
{
	char large[1000];

	(void)state;
	assert_last_words("", "");
	assert_last_words("\n\n", "");
	assert_last_words("R1 !read_ok", "R1 !read_ok");
	assert_last_words("0: (95) exit\nR0 !read_ok\nprocessed 1 insns (limit 1000000) ...\n"
			  "max_states_per_insn 0 total_states 0\n",
			  "R0 !read_ok");
	assert_last_words("BPF program is too large.\nverification time 9 usec\nstack depth 0\n",
			  "BPF program is too large.");
	assert_last_words("processed 1 insns", "");
	memset(large, 'a', sizeof(large) - 1);
	large[sizeof(large) - 1] = 0;
	large[200] = 0;
	assert_last_words(large, large);
	large[200] = 'a';
	assert_int_equal(strlen(large), sizeof(large) - 1);
	size_t length;

	bpf_load_last_words(large, &length);
	assert_int_equal(length, 200);
}

/* A program that does not say what it returns, loaded by hand as libbpf does. */
static void what_the_verifier_says_is_reported(void **state)
{
	static const struct bpf_insn no_result = { .code = BPF_JMP | BPF_EXIT };
	static char text[1 << 16];
	LIBBPF_OPTS(bpf_prog_load_opts, options, .log_level = 1, .log_buf = text,
		    .log_size = sizeof(text));
	size_t length;
	int fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "mute", "GPL", &no_result, 1, &options);

	(void)state;
	if (fd == -EPERM || fd == -ENOSYS) {
		print_message("no program can be loaded here\n");
		skip();
	}
	assert_int_equal(fd, -EACCES);
	assert_non_null(strstr(bpf_load_last_words(text, &length), "R0 !read_ok"));
	assert_true(length > 0 && length < 100);
}

static int speak(enum libbpf_print_level level, const char *format, va_list arguments)
{
	fail_msg("libbpf says something: %s", format);
	return 0;
}

static int fail_quietly(void)
{
	BPF_LOAD_QUIETLY;

	assert_null(bpf_object__open("/nonexistent/program.o"));
	return -errno;
}

static void libbpf_is_silent_in_the_block_alone(void **state)
{
	libbpf_print_fn_t before = libbpf_set_print(speak);

	assert_int_equal(fail_quietly(), -ENOENT);
	assert_ptr_equal(libbpf_set_print(before), speak);
}

/* Whether the kernel's own list has a symbol of this name. */
static bool is_listed(const char *name)
{
	_cleanup_fclose_ FILE *list = fopen("/proc/kallsyms", "re");
	char line[1024], each[512];
	bool found = false;

	assert_non_null(list);
	while (!found && fgets(line, sizeof(line), list))
		found = sscanf(line, "%*s %*s %511s", each) == 1 && strcmp(each, name) == 0;
	return found;
}

static void missing_symbols_are_those_not_listed(void **state)
{
	static const char *const names[] = {
		"vfs_read",	 "__preempt_count", "pcpu_hot", "fifteen_letters",
		"sprint_symbol", "vfs_rea",	    "x"
	};

	if (!bpf_load_lacks_symbol("no_such_symbol")) {
		print_message("needs CAP_BPF, CAP_SYSLOG and Linux 5.16\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(bpf_load_lacks_symbol(names[i]), !is_listed(names[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_failure_has_its_reason),
		cmocka_unit_test(no_command_need_be_named),
		cmocka_unit_test(the_last_words_are_the_reason),
		cmocka_unit_test(what_the_verifier_says_is_reported),
		cmocka_unit_test(kernels_without_types_are_reported),
		cmocka_unit_test(libbpf_is_silent_in_the_block_alone),
		cmocka_unit_test(missing_symbols_are_those_not_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
