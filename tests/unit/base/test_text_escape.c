/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static void escapes(void **state)
{
	static const struct {
		const char *name, *escaped;
	} cases[] = {
		{ "main", "main" },
		{ "", "" },
		{ "a;b", "a\\x3bb" },
		{ "line\nbreak\r\t", "line\\x0abreak\\x0d\\x09" },
		{ "\033[2J", "\\x1b[2J" },
		{ "caf\xc3\xa9", "caf\xc3\xa9" },
		{ "\xff\xfe", "\\xff\\xfe" },
		{ "\xe2\x80\xae"
		  "abc",
		  "\\xe2\\x80\\xae"
		  "abc" },
		{ "App\\Model\\x", "App\\Model\\x" },
		{ "a\\x3bb", "a\\x5cx3bb" },
		{ "\\x5cx3b", "\\x5cx5cx3b" },
		{ "\\", "\\" },
		{ "\xc3", "\\xc3" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf escaped = { 0 }, back = { 0 };

		text_escape(&escaped, cases[i].name, ";");
		assert_string_equal(buf_text(&escaped), cases[i].escaped);
		text_unescape(&back, buf_text(&escaped));
		assert_string_equal(buf_text(&back), cases[i].name);
		buf_done(&escaped);
		buf_done(&back);
	}
}

/* Whatever the bytes are, they come back, and no line or name ends in them. */
static void random_names_come_back(void **state)
{
	static const char bytes[] = "\\x3bc;\n\x80\xc3\xa9"
				    "A\x7f 0";
	unsigned seed = 1;

	for (int i = 0; i < 20000; i++) {
		struct buf escaped = { 0 }, back = { 0 };
		char name[9] = "";

		for (int j = 0; j < 8; j++) {
			seed = seed * 1103515245 + 12345;
			name[j] = bytes[(seed >> 16) % (sizeof(bytes) - 1)];
		}
		text_escape(&escaped, name, "; ");
		assert_null(strpbrk(buf_text(&escaped), "; \n\x7f"));
		text_unescape(&back, buf_text(&escaped));
		assert_string_equal(buf_text(&back), name);
		buf_done(&escaped);
		buf_done(&back);
	}
}

/* What text_escape cannot have written is a name and stays as it is. */
static void foreign_texts_stay(void **state)
{
	static const char *const texts[] = {
		"\\x41", "\\x30", "\\x00", "\\x4", "C:\\xyz", "\\xzz"
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct buf back = { 0 };

		text_unescape(&back, texts[i]);
		assert_string_equal(buf_text(&back), texts[i]);
		buf_done(&back);
	}
}

static void names_in_stacks(void **state)
{
	static const struct {
		const char *name, *escaped;
	} cases[] = {
		{ "main", "main" },
		{ "", "" },
		{ "a;b", "a\\x3bb" },
		{ "\n\x1f\x7f ", "\\x0a\\x1f\\x7f " },
		{ "App\\Model", "App\\x5cModel" },
		{ "\\x3b", "\\x5cx3b" },
		{ "caf\xc3\xa9\xff\xc2\x9b", "caf\xc3\xa9\xff\xc2\x9b" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf escaped = { 0 };

		text_escape_name(&escaped, cases[i].name);
		assert_string_equal(buf_text(&escaped), cases[i].escaped);
		buf_done(&escaped);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes),
		cmocka_unit_test(random_names_come_back),
		cmocka_unit_test(foreign_texts_stay),
		cmocka_unit_test(names_in_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
