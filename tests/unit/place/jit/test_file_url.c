/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/file_url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_paths(void **state)
{
	static const struct {
		const char *file, *path;
	} cases[] = {
		{ "/src/a%20b.js", "/src/a%20b.js" }, /* no URL, but its name */
		{ "file:///src/a.js", "/src/a.js" },
		{ "file:///src/a%20b/%C3%BC%c3%bc%25.js", "/src/a b/\xc3\xbc\xc3\xbc%.js" },
		{ "file:///src/%2520", "/src/%20" }, /* once */
		{ "file:///a%00b", "/a%00b" },
		{ "file:///a%", "/a%" },
		{ "file:///a%4", "/a%4" },
		{ "file:///a%4g%g4%%41", "/a%4g%g4%A" },
		{ "file://host/a%20b", "file://host/a%20b" },
		{ "file://", "file://" },
		{ "node:internal/a%20b", "node:internal/a%20b" },
		{ "", "" },
	};
	struct strpool strings = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(strpool_get(&strings, file_url_intern(&strings, cases[i].file)),
				    cases[i].path);
	strpool_done(&strings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
