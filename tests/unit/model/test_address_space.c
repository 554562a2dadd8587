/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/address_space.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PAGES = 256, PAGE = 4096, SPACES = 6, STEPS = 20000 };

/* The reference: what lies in each page, said page by page. */
struct page {
	uint32_t image; /* 0: nothing */
	uint64_t offset;
	uint64_t replaced; /* the step that put it in the place of something else; 0: none */
};

struct pair {
	struct address_space *space;
	struct page pages[PAGES];
};

static void map_both(struct pair *pair, unsigned *seed, uint64_t step)
{
	uint64_t first = (uint64_t)rand_r(seed) % PAGES;
	uint64_t last = first + (uint64_t)rand_r(seed) % (PAGES - first) / 4;
	struct mapping mapping = { .start = first * PAGE,
				   .end = (last + 1) * PAGE,
				   .offset = (uint64_t)(rand_r(seed) % 100) * PAGE,
				   .image = 1 + (uint32_t)rand_r(seed) % 9,
				   .since = step };

	address_space_map(&pair->space, &mapping);
	for (uint64_t page = first; page <= last; page++) {
		struct page old = pair->pages[page],
			    new = { mapping.image, mapping.offset + (page - first) * PAGE,
				    old.replaced };

		if (old.image && (old.image != new.image || old.offset != new.offset))
			new.replaced = step;
		pair->pages[page] = new;
	}
}

/* Of pages that were replaced after a step it is never said that they are unchanged. Returns
 * whether it is said of these. */
static bool assert_unchanged(const struct pair *pair, unsigned *seed, uint64_t step)
{
	uint64_t first = (uint64_t)rand_r(seed) % PAGES, last = first + (uint64_t)rand_r(seed) % 4;
	uint64_t serial = step - (uint64_t)rand_r(seed) % (step < 500 ? step : 500);
	bool replaced = false, unchanged;

	last = last < PAGES ? last : PAGES - 1;
	for (uint64_t page = first; page <= last; page++)
		replaced |= pair->pages[page].replaced > serial;
	unchanged = address_space_unchanged(pair->space, first * PAGE, (last + 1) * PAGE, serial);
	assert_false(unchanged && replaced);
	return unchanged;
}

static void assert_same(const struct pair *pair)
{
	for (uint64_t page = 0; page < PAGES; page++) {
		uint64_t address = page * PAGE + page * 13 % PAGE;
		struct mapping found;
		bool mapped = address_space_find(pair->space, address, &found);

		assert_int_equal(mapped, pair->pages[page].image != 0);
		if (!mapped)
			continue;
		assert_int_equal(found.image, pair->pages[page].image);
		assert_int_equal(address - found.start + found.offset,
				 pair->pages[page].offset + address % PAGE);
	}
}

/* Maps, forks and execs at random among some processes. */
static void test_equals_pages(void **state)
{
	static struct pair pairs[SPACES];
	unsigned seed = 7;
	int unchanged = 0;

	(void)state;
	for (int step = 1; step <= STEPS; step++) {
		struct pair *pair = &pairs[rand_r(&seed) % SPACES];
		struct pair *other = &pairs[rand_r(&seed) % SPACES];
		int what = rand_r(&seed) % 20;

		if (what == 0) {
			address_space_unref(pair->space);
			*pair = (struct pair){ 0 };
		} else if (what < 4 && pair != other) {
			address_space_unref(pair->space);
			*pair = *other;
			address_space_share(other->space);
		} else {
			map_both(pair, &seed, (uint64_t)step);
		}
		unchanged += assert_unchanged(pair, &seed, (uint64_t)step);
		if (step % 10 == 0)
			assert_same(&pairs[step / 10 % SPACES]);
	}
	assert_true(unchanged > STEPS / 10);
	for (int i = 0; i < SPACES; i++) {
		assert_same(&pairs[i]);
		address_space_unref(pairs[i].space);
	}
}

static void test_split_trim_replace(void **state)
{
	struct address_space *space = NULL;
	struct mapping found;

	(void)state;
	address_space_map(&space, &(struct mapping){ 0x1000, 0x9000, 0, 1, 0 });
	address_space_map(&space, &(struct mapping){ 0x3000, 0x4000, 0x50000, 2, 0 });
	assert_int_equal(address_space_count(space), 3);
	assert_true(address_space_find(space, 0x4000, &found));
	assert_int_equal(found.start, 0x4000);
	assert_int_equal(found.end, 0x9000);
	assert_int_equal(found.offset, 0x3000);
	assert_true(address_space_find(space, 0x2fff, &found));
	assert_int_equal(found.end, 0x3000);
	assert_false(address_space_find(space, 0x9000, &found));
	assert_false(address_space_find(space, 0xfff, &found));
	address_space_map(&space, &(struct mapping){ 0x1000, 0x9000, 0, 3, 0 });
	assert_int_equal(address_space_count(space), 1);
	address_space_map(&space, &(struct mapping){ 0x5000, 0x5000, 0, 4, 0 });
	assert_int_equal(address_space_count(space), 1);
	address_space_unref(space);
}

/* A JIT, or a browser: very many ranges, added in an order that is not theirs. */
static void test_many(void **state)
{
	enum { COUNT = 5000 };
	struct address_space *space = NULL;
	struct mapping found;

	(void)state;
	for (uint64_t i = 0; i < COUNT; i++) {
		uint64_t at = i * 7919 % COUNT;

		address_space_map(&space, &(struct mapping){ at * 0x3000, at * 0x3000 + 0x2000, at,
							     1 + (uint32_t)at, 0 });
	}
	assert_int_equal(address_space_count(space), COUNT);
	for (uint64_t at = 0; at < COUNT; at++) {
		assert_true(address_space_find(space, at * 0x3000 + 0x1fff, &found));
		assert_int_equal(found.image, 1 + at);
		assert_false(address_space_find(space, at * 0x3000 + 0x2000, &found));
	}
	address_space_unref(space);
}

static void test_no_more_than_the_limit(void **state)
{
	struct address_space *space = NULL;
	struct mapping found;

	(void)state;
	for (uint64_t i = 0; i < ADDRESS_SPACE_MAX + 10; i++)
		address_space_map(&space, &(struct mapping){ i * 0x2000, i * 0x2000 + 1, 0, 1, 0 });
	assert_int_equal(address_space_count(space), ADDRESS_SPACE_MAX);
	/* What replaces still does. */
	address_space_map(&space, &(struct mapping){ 0, 0x10000, 0, 2, 0 });
	assert_true(address_space_find(space, 0x2000, &found));
	assert_int_equal(found.image, 2);
	address_space_unref(space);
}

static void test_nothing(void **state)
{
	struct mapping found;

	(void)state;
	assert_null(address_space_share(NULL));
	address_space_unref(NULL);
	assert_false(address_space_find(NULL, 0, &found));
	assert_int_equal(address_space_count(NULL), 0);
}

/* Mapped again, grown, or put over another mapping: only the last changes what addresses mean. */
static void test_changes(void **state)
{
	struct address_space *space = NULL;
	struct mapping first = { 0x1000, 0x3000, 0x1000, 7, 0 };
	struct mapping inside = { 0x2000, 0x3000, 0x2000, 7, 0 };
	struct mapping grown = { 0x2000, 0x5000, 0x2000, 7, 0 };
	struct mapping moved = { 0x2000, 0x3000, 0, 7, 0 };
	struct mapping other = { 0x4000, 0x6000, 0x4000, 8, 0 };

	(void)state;
	assert_int_equal(address_space_map(&space, &first), ADDRESS_SPACE_ADDED);
	assert_int_equal(address_space_map(&space, &first), ADDRESS_SPACE_SAME);
	assert_int_equal(address_space_map(&space, &inside), ADDRESS_SPACE_SAME);
	assert_int_equal(address_space_map(&space, &grown), ADDRESS_SPACE_ADDED);
	assert_int_equal(address_space_map(&space, &moved), ADDRESS_SPACE_REPLACED);
	assert_int_equal(address_space_map(&space, &other), ADDRESS_SPACE_REPLACED);
	assert_int_equal(address_space_at(space, address_space_count(space) - 1).image, 8);
	address_space_unref(space);
}

static bool unchanged(const struct address_space *space, uint64_t start, uint64_t serial)
{
	return address_space_unchanged(space, start, start + 1, serial);
}

/* Ranges that are replaced have changed; those beside, grown or mapped again the same have not. */
static void test_since(void **state)
{
	struct address_space *space = NULL;

	(void)state;
	assert_true(unchanged(space, 0x1000, 0));
	address_space_map(&space, &(struct mapping){ 0x1000, 0x9000, 0, 1, 1 });
	address_space_map(&space, &(struct mapping){ 0x20000, 0x21000, 0, 2, 2 });
	assert_true(unchanged(space, 0x1000, 1));
	assert_false(unchanged(space, 0x1000, 0));
	address_space_map(&space, &(struct mapping){ 0x1000, 0x9000, 0, 1, 3 });
	address_space_map(&space, &(struct mapping){ 0x8000, 0xa000, 0x7000, 1, 4 });
	assert_true(unchanged(space, 0x8800, 1));
	address_space_map(&space, &(struct mapping){ 0x3000, 0x4000, 0, 3, 5 });
	assert_true(unchanged(space, 0x2fff, 1));
	assert_false(unchanged(space, 0x3000, 4));
	assert_true(unchanged(space, 0x3000, 5));
	assert_true(unchanged(space, 0x4000, 1));
	assert_false(address_space_unchanged(space, 0x1000, 0x9000, 1));
	/* It means again what it meant, but did not in between. */
	address_space_map(&space, &(struct mapping){ 0x3000, 0x4000, 0x2000, 1, 6 });
	assert_false(unchanged(space, 0x3000, 5));
	address_space_unref(space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_equals_pages),
		cmocka_unit_test(test_split_trim_replace),
		cmocka_unit_test(test_since),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_no_more_than_the_limit),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
