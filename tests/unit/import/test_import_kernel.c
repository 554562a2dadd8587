/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "place/kernel/kernel_symbols.h"

enum { MOST = 4096, START = 0x1000 };

/* A recording that tells @pieces times of code that the kernel made. The caller frees what was not
 * visible. */
static char *not_visible(size_t pieces, struct import_result *ret_result)
{
	const struct import_options options = { .input = "-", .kallsyms = "/dev/null" };
	const struct perf_data_facts facts = { .hostname = NULL };
	struct import_profile import = { .options = &options, .profile = profile_new() };
	struct import_kernel kernel;
	struct perf_ksymbol code = { .size = 16, .name = "bpf_prog_made" };
	char *text;

	assert_int_equal(import_kernel_begin(&kernel, &import, &facts, NULL), 0);
	assert_int_equal(import_kernel_need(&kernel, NULL), 0);
	for (size_t i = 0; i < pieces; i++) {
		code.address = 0xffffffffc0000000 + START;
		code.removed = i % 2;
		import_kernel_symbol(&kernel, &code);
	}
	*ret_result = (struct import_result){ .kept = false };
	import_kernel_finish(&kernel, ret_result);
	text = import.profile->run.not_visible;
	import.profile->run.not_visible = NULL;
	kernel_symbols_free(import.frames.kernel);
	profile_free(import.profile);
	return text;
}

static void changes_beyond_the_limit_are_told(void **state)
{
	struct import_result result;
	char *text = not_visible(MOST, &result);

	(void)state;
	assert_string_equal(result.left_out, "");
	assert_true(!text || !strstr(text, "after the first"));
	free(text);
	text = not_visible(MOST + 3, &result);
	assert_string_equal(result.left_out,
			    "the 3 changes of the kernel's modules and JIT code after the first "
			    "4096 are omitted");
	assert_non_null(text);
	assert_non_null(strstr(text, "the 3 changes of the kernel's modules"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_beyond_the_limit_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
