/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the running kernel whose types have been the same for many years. */
#include "collect/probe_functions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static void test_what_functions_return(void **state)
{
	static const struct {
		const char *name;
		struct probe_return returns;
	} functions[] = {
		{ "kfree", { PROBE_RETURN_NOTHING, 0 } },	       /* void */
		{ "vfs_read", { PROBE_RETURN_SIGNED, 64 } },	       /* ssize_t */
		{ "vfs_statfs", { PROBE_RETURN_SIGNED, 32 } },	       /* int */
		{ "fget", { PROBE_RETURN_POINTER, 64 } },	       /* struct file * */
		{ "capable", { PROBE_RETURN_UNSIGNED, 8 } },	       /* bool */
		{ "nr_processes", { PROBE_RETURN_SIGNED, 32 } },       /* int */
		{ "jiffies_to_msecs", { PROBE_RETURN_UNSIGNED, 32 } }, /* unsigned int */
		{ "no_such_function", { PROBE_RETURN_UNKNOWN, 0 } },
	};
	struct probe_functions *types;

	(void)state;
	if (probe_functions_new(&types) < 0) {
		print_message("this kernel describes no types\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		struct probe_return got = probe_functions_returns(types, NULL, functions[i].name);

		if (got.kind == PROBE_RETURN_UNKNOWN)
			continue; /* the compiler may have put it into its callers */
		assert_int_equal(got.kind, functions[i].returns.kind);
		assert_int_equal(got.bits, functions[i].returns.bits);
	}
	assert_int_equal(probe_functions_returns(types, NULL, "vfs_read").kind,
			 PROBE_RETURN_SIGNED);
	assert_int_equal(probe_functions_returns(types, "no_such_module", "vfs_read").kind,
			 PROBE_RETURN_UNKNOWN);
	probe_functions_free(types);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_what_functions_return) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
