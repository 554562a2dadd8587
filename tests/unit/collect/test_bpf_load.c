/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/bpf_load.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
		    "looking needs root, or CAP_BPF and CAP_PERFMON: try 'sudo look'");
	assert_says(&words, -EACCES,
		    "looking needs root, or CAP_BPF and CAP_PERFMON: try 'sudo look'");
	assert_says(&words, -ENOSYS, "this kernel has no BPF");
	assert_says(&words, -ENOMEM, "the lookers cannot be loaded: Cannot allocate memory");
	assert_says(&words, -EMFILE, "the lookers cannot be loaded: Too many open files");
	assert_says(&words, -EINVAL,
		    "this kernel does not take the lookers (Linux 5.99 does): Invalid argument");
}

static void no_command_need_be_named(void **state)
{
	struct bpf_load_words quiet = words;

	skip_locked_down();
	quiet.try = NULL;
	assert_says(&quiet, -EPERM, "looking needs root, or CAP_BPF and CAP_PERFMON");
}

/* What they lack is told before how old the kernel is. */
static void kernels_without_types_are_told(void **state)
{
	struct bpf_load_words typed = words;

	skip_locked_down();
	typed.types = true;
	if (access("/sys/kernel/btf/vmlinux", R_OK) == 0)
		assert_says(&typed, -ESRCH,
			    "this kernel does not take the lookers (Linux 5.99 does): No such "
			    "process");
	else
		assert_says(&typed, -ESRCH,
			    "this kernel does not describe its types (CONFIG_DEBUG_INFO_BTF)");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_failure_has_its_reason),
		cmocka_unit_test(no_command_need_be_named),
		cmocka_unit_test(kernels_without_types_are_told),
		cmocka_unit_test(libbpf_is_silent_in_the_block_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
