/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/kernel_table.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct kernel_segment all = { 0, 0x100000 };

static void add(struct kernel_table *table, uint32_t start, uint32_t size, const char *name,
		char type)
{
	assert_true(kernel_table_add(table, start, size, name, kernel_table_rank(type)));
}

/* The function that covers the offset; "" when none does. */
static const char *at(const struct kernel_table *table, uint32_t offset)
{
	const struct kernel_function *function = kernel_table_before(table, offset);

	if (!function || offset - function->start >= function->size)
		return "";
	return kernel_table_name(table, function);
}

/* Columns: two names of one address, the better one first; their types. */
static void test_aliases(void **state)
{
	static const struct {
		const char *better, *worse;
		char better_type, worse_type;
	} cases[] = {
		{ "zzzz", "a", 'T', 't' },
		{ "zzzz", "a", 'T', 'W' },
		{ "zzzz", "a", 'W', 't' },
		{ "_zzzz", "__a", 'T', 'T' },
		{ "zz", "aaa", 't', 't' },
		{ "aa", "zz", 't', 't' },
		{ "__do_softirq", "__softirqentry_text_start", 't', 'T' },
		{ "srso_alias_untrain_ret", "_text", 't', 'T' },
		{ "kexec_text_startle", "k", 'T', 't' },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct kernel_table table = { 0 };
		size_t row = i / 2;

		if (i % 2)
			add(&table, 16, 0, cases[row].worse, cases[row].worse_type);
		add(&table, 16, 0, cases[row].better, cases[row].better_type);
		if (i % 2 == 0)
			add(&table, 16, 0, cases[row].worse, cases[row].worse_type);
		kernel_table_settle(&table, &all, 1);
		assert_string_equal(at(&table, 16), cases[row].better);
		assert_int_equal(table.list.count, 1);
		kernel_table_done(&table);
	}
}

static void test_extents(void **state)
{
	static const struct kernel_segment segments[] = { { 0x100, 0x200 }, { 0x300, 0x380 } };
	struct kernel_table table = { 0 };

	(void)state;
	add(&table, 0x180, 0, "b", 't');
	add(&table, 0x100, 0, "a", 't');
	add(&table, 0x200, 0, "_etext", 'T');
	add(&table, 0x250, 0, "data", 't');
	add(&table, 0x310, 0, "init", 't');
	add(&table, 0x50, 0, "below", 't');
	kernel_table_settle(&table, segments, 2);
	assert_int_equal(table.list.count, 3);
	assert_string_equal(at(&table, 0x50), "");
	assert_string_equal(at(&table, 0x100), "a");
	assert_string_equal(at(&table, 0x17f), "a");
	assert_string_equal(at(&table, 0x180), "b");
	assert_string_equal(at(&table, 0x1ff), "b");
	assert_string_equal(at(&table, 0x200), "");
	assert_string_equal(at(&table, 0x300), "");
	assert_string_equal(at(&table, 0x37f), "init");
	assert_string_equal(at(&table, 0x380), "");
	kernel_table_done(&table);
}

/* As a vmlinux has them: sizes count, gaps are gaps, labels inside a function are its own. */
static void test_sizes(void **state)
{
	struct kernel_table table = { 0 };

	(void)state;
	add(&table, 0x100, 0x50, "f", 'T');
	add(&table, 0x120, 0, "label_in_f", 'T');
	add(&table, 0x100, 0, "also_f_without_size", 'T');
	add(&table, 0x160, 0x10, "g", 't');
	add(&table, 0x170, 0, "unsized", 't');
	add(&table, 0x190, 0x10000000, "too_long", 't');
	kernel_table_settle(&table, &all, 1);
	assert_string_equal(at(&table, 0x14f), "f");
	assert_string_equal(at(&table, 0x120), "f");
	assert_string_equal(at(&table, 0x150), "");
	assert_string_equal(at(&table, 0x16f), "g");
	assert_string_equal(at(&table, 0x18f), "unsized");
	assert_int_equal(kernel_table_before(&table, 0x200)->size, 0x100000 - 0x190);
	kernel_table_done(&table);
}

static void test_padding_shares_names(void **state)
{
	struct kernel_table table = { 0 };

	(void)state;
	add(&table, 0, 0, "__pfx_vfs_read", 'T');
	add(&table, 16, 0, "vfs_read", 'T');
	assert_int_equal(table.names.size, sizeof("__pfx_vfs_read"));
	add(&table, 32, 0, "__pfx_a", 'T');
	add(&table, 48, 0, "b", 'T');
	kernel_table_settle(&table, &all, 1);
	assert_string_equal(at(&table, 8), "__pfx_vfs_read");
	assert_string_equal(at(&table, 16), "vfs_read");
	assert_string_equal(at(&table, 32), "__pfx_a");
	assert_string_equal(at(&table, 48), "b");
	kernel_table_done(&table);
}

/* Random functions in random order against a plain walk over all of them. */
static void test_equals_a_walk(void **state)
{
	enum { FUNCTIONS = 400, LOOKUPS = 4000 };
	struct kernel_table table = { 0 };
	uint32_t starts[FUNCTIONS];
	unsigned seed = 11;

	(void)state;
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		char name[16];

		starts[i] = (uint32_t)(rand_r(&seed) % 0xfff) * FUNCTIONS + i;
		snprintf(name, sizeof(name), "f%u", i);
		add(&table, starts[i], 0, name, 't');
	}
	kernel_table_settle(&table, &(struct kernel_segment){ 0, UINT32_MAX }, 1);
	for (int i = 0; i < LOOKUPS; i++) {
		uint32_t offset = (uint32_t)rand_r(&seed) % (0xfff * FUNCTIONS), best = FUNCTIONS;
		char expected[16] = "";

		for (uint32_t j = 0; j < FUNCTIONS; j++) {
			if (starts[j] <= offset && (best == FUNCTIONS || starts[j] > starts[best]))
				best = j;
		}
		if (best < FUNCTIONS)
			snprintf(expected, sizeof(expected), "f%u", best);
		assert_string_equal(at(&table, offset), expected);
	}
	kernel_table_done(&table);
}

static void test_append(void **state)
{
	struct kernel_table table = { 0 };
	uint32_t first, second;

	(void)state;
	first = kernel_table_append(&table, "bpf_prog_1", 100, KERNEL_RANK_LOCAL)->start;
	second = kernel_table_append(&table, "bpf_prog_2", 7, KERNEL_RANK_LOCAL)->start;
	assert_true(second >= first + 100);
	assert_int_equal(kernel_table_append(&table, "bpf_prog_1", 100, KERNEL_RANK_LOCAL)->start,
			 first);
	assert_true(kernel_table_append(&table, "bpf_prog_1", 101, KERNEL_RANK_LOCAL)->start >
		    second);
	assert_string_equal(at(&table, first + 99), "bpf_prog_1");
	assert_string_equal(at(&table, first + 100), "");
	assert_string_equal(at(&table, second), "bpf_prog_2");
	assert_non_null(kernel_table_append(&table, "huge", UINT32_MAX / 2, KERNEL_RANK_LOCAL));
	assert_null(kernel_table_append(&table, "more", UINT32_MAX / 2, KERNEL_RANK_LOCAL));
	kernel_table_done(&table);
}

static void test_missing(void **state)
{
	struct kernel_table wanted = { 0 }, other = { 0 };

	(void)state;
	assert_int_equal(kernel_table_missing(&wanted, &other), 0);
	add(&wanted, 16, 0, "b", 't');
	add(&wanted, 16, 0, "a", 't');
	add(&wanted, 32, 0, "c", 't');
	assert_int_equal(kernel_table_missing(&wanted, &other), 3);
	add(&other, 32, 0, "c", 'T');
	add(&other, 16, 0, "b", 't');
	add(&other, 16, 0, "aa", 't');
	add(&other, 8, 0, "more", 't');
	assert_int_equal(kernel_table_missing(&wanted, &other), 1);
	add(&other, 16, 0, "a", 't');
	assert_int_equal(kernel_table_missing(&wanted, &other), 0);
	add(&wanted, 48, 0, "d", 't');
	add(&other, 49, 0, "d", 't');
	assert_int_equal(kernel_table_missing(&wanted, &other), 1);
	kernel_table_done(&wanted);
	kernel_table_done(&other);
}

static void test_empty(void **state)
{
	struct kernel_table table = { 0 };

	(void)state;
	kernel_table_settle(&table, &all, 1);
	assert_null(kernel_table_before(&table, 5));
	kernel_table_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aliases),	      cmocka_unit_test(test_extents),
		cmocka_unit_test(test_sizes),	      cmocka_unit_test(test_padding_shares_names),
		cmocka_unit_test(test_equals_a_walk), cmocka_unit_test(test_append),
		cmocka_unit_test(test_missing),	      cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
