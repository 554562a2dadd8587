/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/printed.h"

#include "present/paragraph.h"

static void assert_lines(const char *text, size_t width, const char *expected)
{
	size_t size;
	char *printed;
	FILE *out = open_memstream(&printed, &size);

	paragraph_print("Label", text, width, out);
	fclose(out);
	assert_string_equal(printed, expected);
	free(printed);
}

static void words_stay_whole(void **state)
{
	assert_lines("one two three", 22,
		     "Label        one two\n"
		     "             three\n");
}

static void a_number_stays_with_its_unit(void **state)
{
	assert_lines("it waited 17 %, nothing else", 26,
		     "Label        it waited\n"
		     "             17 %, nothing\n"
		     "             else\n");
}

/* Only with its unit: a list of numbers has to end somewhere. */
static void numbers_are_split(void **state)
{
	assert_lines("1 2 3 4 5 6 7 8", 18,
		     "Label        1 2 3\n"
		     "             4 5 6\n"
		     "             7 8\n");
}

static void a_word_that_does_not_fit_has_its_line(void **state)
{
	assert_lines("a /a/path/as/long/as/this b", 20,
		     "Label        a\n"
		     "             /a/path/as/long/as/this\n"
		     "             b\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_stay_whole),
		cmocka_unit_test(a_number_stays_with_its_unit),
		cmocka_unit_test(numbers_are_split),
		cmocka_unit_test(a_word_that_does_not_fit_has_its_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
