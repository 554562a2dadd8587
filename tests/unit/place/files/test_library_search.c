/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/library_search.h"

#include "base/file.h"
#include "base/xalloc.h"
#include "tools.h"

static void test_fits(void **state)
{
	(void)state;
	assert_true(library_search_fits("libc.so.6", "libc.so.6"));
	assert_true(library_search_fits("libc", "libc.so.6"));
	assert_true(library_search_fits("c", "libc.so.6"));
	assert_true(library_search_fits("libc.so", "libc.so.6"));
	assert_true(library_search_fits("libc", "libc-2.31.so"));
	assert_false(library_search_fits("libc", "libcap.so.2"));
	assert_false(library_search_fits("libc", "libc.a"));
	assert_false(library_search_fits("", "libc.so.6"));
	assert_false(library_search_fits("libc.so.6", "libc.so"));
}

struct seen {
	struct buf *names;
	size_t count;
};

static bool take(void *context, const char *name, const char *path)
{
	struct seen *seen = context;

	seen->count++;
	buf_printf(seen->names, "\t%s ", name);
	assert_int_equal(path[0], '/');
	return true;
}

/* Damaged in any way, it ends somewhere. */
static void test_damage(void **state)
{
	struct buf cache = { 0 }, names = { 0 };
	struct seen seen = { .names = &names };

	(void)state;
	if (file_read("/etc/ld.so.cache", 64 << 20, &cache) < 0)
		skip();
	for (size_t size = 0; size <= cache.size; size += cache.size / 300 + 1) {
		char *copy = xmemdup(cache.bytes, size ? size : 1);

		library_search_each(copy, size, take, &seen);
		free(copy);
	}
	assert_true(seen.count > 0 || cache.size < 1000);
	buf_done(&cache);
	buf_done(&names);
}

static void test_find(void **state)
{
	struct buf path = { 0 }, out = { 0 };

	(void)state;
	if (tools_run(&out, "/sbin/ldconfig -p | grep -E '^.libc.so.6 .libc6,(x86-64|AArch64)' "
			    "| sed 's/.*=> //'") != 0 ||
	    out.size == 0)
		skip();
	out.bytes[strcspn(out.bytes, "\n")] = '\0';
	assert_true(library_search_find(NULL, "", "libc.so.6", &path));
	assert_string_equal(buf_text(&path), out.bytes);
	buf_clear(&path);
	assert_true(library_search_find(NULL, "", "libc", &path));
	assert_string_equal(buf_text(&path), out.bytes);
	buf_clear(&path);
	assert_false(library_search_find(NULL, "", "libnothing.so.9", &path));
	buf_done(&path);
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fits),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
