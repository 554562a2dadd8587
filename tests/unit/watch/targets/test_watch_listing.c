/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is listed of a program is what nm and its source have. */
#include "watch/targets/watch_listing.h"

#include <errno.h>

#include "watch/targets/watched_program.h"

/* Lists "PROGRAM" + @rest. */
static int make(enum watch_listing kind, const char *rest, struct buf *text, struct err *err)
{
	struct watch_target_options options = { .word_count = 1, .lines.no_cache = true };
	struct buf word = { 0 };
	const char *words[1];
	int rc;

	buf_printf(&word, "%s%s", program, rest);
	words[0] = buf_text(&word);
	options.words = words;
	rc = watch_listing_make(kind, &options, text, err);
	buf_done(&word);
	return rc;
}

static void expect(enum watch_listing kind, const char *rest, const char *const *parts)
{
	struct buf text = { 0 };
	struct err err;

	if (make(kind, rest, &text, &err) < 0)
		fail_msg("%s: %s", rest, err.text);
	for (size_t i = 0; parts[i]; i++) {
		if (!strstr(buf_text(&text), parts[i]))
			fail_msg("'%s' has no '%s'", buf_text(&text), parts[i]);
	}
	buf_done(&text);
}

static void test_functions(void **state)
{
	char address[32];
	const char *const parts[] = { "prog:rounds", "  a.c:7", address, NULL };

	(void)state;
	snprintf(address, sizeof(address), "  0x%lx  ", nm("rounds"));
	expect(WATCH_LISTING_FUNCTIONS, ":rounds", parts);
}

static void test_all_of_a_name(void **state)
{
	static const char *const parts[] = { "  a.c:2", "  b.c:2", NULL };

	(void)state;
	expect(WATCH_LISTING_FUNCTIONS, ":twin", parts);
}

static void test_blocks(void **state)
{
	char address[32];
	const char *const parts[] = { "prog:rounds", " basic blocks, ", "+0x0 ",
				      address,	     " return\n",	NULL };

	(void)state;
	snprintf(address, sizeof(address), "  0x%lx ", nm("rounds"));
	expect(WATCH_LISTING_BLOCKS, ":rounds", parts);
}

static void test_code(void **state)
{
	char address[32];
	const char *const parts[] = {
		"prog:original: the file; -p PID adds the memory of that process\n", address, "ret",
		NULL
	};

	(void)state;
	snprintf(address, sizeof(address), "  +0x0     %12lx  ", nm("original"));
	expect(WATCH_LISTING_CODE, ":original", parts);
}

static void test_nothing(void **state)
{
	struct buf text = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(make(WATCH_LISTING_FUNCTIONS, ":nowhere", &text, &err), -ENOENT);
	assert_non_null(strstr(err.text, "no function nowhere"));
	buf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions), cmocka_unit_test(test_all_of_a_name),
		cmocka_unit_test(test_blocks),	  cmocka_unit_test(test_code),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
