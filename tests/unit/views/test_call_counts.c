/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "views/call_counts.h"

static int parse(const char *text, size_t size, struct call_counts *counts, struct err *err)
{
	char path[] = "/tmp/prospect-calls.XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), (ssize_t)size);
	close(fd);
	rc = call_counts_read(path, counts, err);
	unlink(path);
	return rc;
}

static void totals_are_found_by_file_and_function(void **state)
{
	static const char text[] = "kind,start,end,target,pid,entries,nested\n"
				   "interval,0,1,prog:f,7,3.5,0\n"
				   "total,0,1,prog:f,7,3,1\n"
				   "total,0,1,prog:f,8,4,0\r\n"
				   "total,0,1,\"/opt/x/prog:ns::g(int, \"\"a\"\")\",7,5,\n"
				   "total,0,1,vfs_read,7,6,0\n"
				   "total,0,1,kernel:vfs_write,7,7,9\n";
	static const struct {
		const char *file, *function;
		bool found;
		uint64_t entries, nested;
	} expected[] = {
		{ "prog", "f", true, 7, 1 },	     { "prog", "ns::g(int, \"a\")", true, 5, 0 },
		{ "", "vfs_read", true, 6, 0 },	     { "", "vfs_write", true, 7, 7 },
		{ "other", "f", false, 0, 0 },	     { "", "f", false, 0, 0 },
		{ "prog", "vfs_read", false, 0, 0 }, { "prog", "", false, 0, 0 },
	};
	struct call_counts counts;

	assert_int_equal(parse(text, strlen(text), &counts, NULL), 0);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		uint64_t entries, nested;

		assert_int_equal(call_counts_find(&counts, expected[i].file, expected[i].function,
						  &entries, &nested),
				 expected[i].found);
		assert_int_equal(entries, expected[i].entries);
		assert_int_equal(nested, expected[i].nested);
	}
	call_counts_done(&counts);
}

static void what_no_watch_wrote_is_refused(void **state)
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{ "", "its first line must name" },
		{ "a,b\n1,2\n", "its first line must name" },
		{ "kind,target\ntotal,f\n", "its first line must name" },
		{ "kind,target,entries\n", "no totals" },
		{ "kind,target,entries\ninterval,f,1\n", "no totals" },
		{ "kind,target,entries\npartial,f,1\n", "higher --budget" },
		{ "kind,target,entries\ntotal,f,many\n", "expected a whole number, not 'many'" },
		{ "kind,target,entries\ntotal,f,\n", "expected a whole number, not ''" },
		{ "kind,target,entries\ntotal,f\n", "row 2 has 2 cells, expected 3" },
		{ "kind,target,entries\ntotal,f,3,30\n", "row 2 has 4 cells" },
		{ "kind,target,entries\ntotal,f,12\ntotal,g,34", "row 3 is truncated" },
		{ "kind,target,entries\ntotal,f,12\ntotal,\"g,34\ntotal,h,5\n",
		  "row 3 is truncated" },
		{ "kind,target,entries\ntotal,f,1\ntotal,g,2\ntotal,f,1\n", "totals of f twice" },
		{ "kind,target,entries\ntotal,f,-1\n", "expected a whole number" },
		{ "kind,target,entries\ntotal,f,99999999999999999999\n",
		  "expected a whole number" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct call_counts counts;
		struct err err;

		assert_int_equal(parse(cases[i].text, strlen(cases[i].text), &counts, &err),
				 -EINVAL);
		if (!strstr(err.text, cases[i].reason))
			fail_msg("'%s' where '%s' should be", err.text, cases[i].reason);
		assert_int_equal(counts.list.count, 0);
	}
}

/* Cut off within a line, it is refused: half a number is another number. */
static void only_whole_lines_are_taken(void **state)
{
	static const char text[] = "kind,target,entries\ntotal,\"a\"\"b\",12\ntotal,c:d,34\n";
	size_t lines = 0;

	for (size_t size = 0; size < sizeof(text); size++) {
		struct call_counts counts;
		int rc = parse(text, size, &counts, NULL);

		lines += size && text[size - 1] == '\n';
		if (size && text[size - 1] == '\n' && lines > 1) {
			assert_int_equal(rc, 0);
			assert_int_equal(counts.list.count, lines - 1);
		} else {
			assert_int_equal(rc, -EINVAL);
		}
		call_counts_done(&counts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_are_found_by_file_and_function),
		cmocka_unit_test(what_no_watch_wrote_is_refused),
		cmocka_unit_test(only_whole_lines_are_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
