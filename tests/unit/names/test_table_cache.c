/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/table_cache.h"

#include <sys/stat.h>

#include "place/files/image_files.h"
#include "tools.h"

enum { LIBRARIES = 5, FUNCTIONS = 2000 };

struct fixture {
	char *folder;
	struct profile *profile;
	struct image_files *files;
	uint32_t images[LIBRARIES];
};

/* Libraries of many functions each: their tables have a size to speak of. */
static void build(const char *folder, int number, char path[TOOLS_PATH])
{
	struct buf source = { 0 };
	char name[32];

	for (int i = 0; i < FUNCTIONS; i++)
		buf_printf(&source, ".globl f%d_%d\n.type f%d_%d,@function\nf%d_%d: .skip 8\n",
			   number, i, number, i, number, i);
	snprintf(name, sizeof(name), "lib%d.so", number);
	tools_build(folder, name, "assembler", "-shared -nostdlib", buf_text(&source), path);
	buf_done(&source);
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->folder = tools_folder();
	fixture->profile = profile_new();
	fixture->files = image_files_new(fixture->profile, 64);
	for (int i = 0; i < LIBRARIES; i++) {
		char path[TOOLS_PATH];
		struct stat st;
		struct mapped_file mapped;

		build(fixture->folder, i, path);
		assert_int_equal(stat(path, &st), 0);
		mapped = (struct mapped_file){ .path = path, .dev = st.st_dev, .inode = st.st_ino };
		fixture->images[i] = image_files_mapped(fixture->files, &mapped);
	}
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	image_files_free(fixture->files);
	profile_free(fixture->profile);
	tools_remove(fixture->folder);
	free(fixture);
	return 0;
}

static void test_bound(void **state)
{
	struct fixture *fixture = *state;
	struct table_cache *cache = table_cache_new(fixture->profile, fixture->files, SIZE_MAX);
	struct cached_table *table;
	size_t one;

	assert_non_null(table_cache_get(cache, fixture->images[0]));
	one = table_cache_bytes(cache);
	assert_true(one > FUNCTIONS * 16);
	for (int i = 1; i < LIBRARIES; i++)
		assert_non_null(table_cache_get(cache, fixture->images[i]));
	assert_true(table_cache_bytes(cache) > 4 * one);
	table_cache_free(cache);
	cache = table_cache_new(fixture->profile, fixture->files, 3 * one);
	for (int i = 0; i < 4 * LIBRARIES; i++) {
		table = table_cache_get(cache, fixture->images[i % LIBRARIES]);
		assert_non_null(table);
		assert_true(table_cache_bytes(cache) <= 3 * one);
	}
	/* one that is in use stays, whatever the limit */
	table_cache_free(cache);
	cache = table_cache_new(fixture->profile, fixture->files, 1);
	table = table_cache_get(cache, fixture->images[0]);
	assert_ptr_equal(table_cache_get(cache, fixture->images[0]), table);
	table_cache_free(cache);
}

/* The longest unused goes first: what is used in between is not read again. */
static void test_order(void **state)
{
	struct fixture *fixture = *state;
	struct table_cache *cache = table_cache_new(fixture->profile, fixture->files, SIZE_MAX);
	struct cached_table *favourite;
	size_t one;

	table_cache_get(cache, fixture->images[0]);
	one = table_cache_bytes(cache);
	table_cache_free(cache);
	cache = table_cache_new(fixture->profile, fixture->files, 3 * one);
	favourite = table_cache_get(cache, fixture->images[0]);
	for (int i = 1; i < LIBRARIES; i++) {
		table_cache_get(cache, fixture->images[i]);
		assert_ptr_equal(table_cache_get(cache, fixture->images[0]), favourite);
	}
	table_cache_free(cache);
}

static void test_lookup(void **state)
{
	struct fixture *fixture = *state;
	struct table_cache *cache = table_cache_new(fixture->profile, fixture->files, 1 << 20);
	struct cached_table *table = table_cache_get(cache, fixture->images[3]);
	struct buf name = { 0 };
	struct symtab_hit hit;
	uint64_t address, offset;

	assert_int_equal(tools_run(&name,
				   "readelf -SW '%s/lib3.so' | sed 's/\\[ *//' |"
				   " awk '$2 == \".text\" { print $5 }'",
				   fixture->folder),
			 0);
	offset = strtoull(buf_text(&name), NULL, 16);
	assert_true(table_cache_address(table, offset, &address));
	table_cache_lookup(cache, table, address + 8 * 7 + 3, &name, &hit);
	assert_string_equal(buf_text(&name), "f3_7");
	assert_int_equal(hit.kind, SYMBOL_NAMED);
	table_cache_lookup(cache, table, 1, &name, &hit);
	assert_int_equal(hit.kind, SYMBOL_NONE);
	assert_null(table_cache_get(cache, profile_bucket(fixture->profile, "[unmapped]")));
	buf_done(&name);
	table_cache_free(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_lookup),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
