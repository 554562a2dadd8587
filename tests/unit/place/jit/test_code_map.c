/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of code by address and time, against a plain list that is searched from end to end. */
#include "place/jit/code_map.h"

#include "tools.h"

static bool add(struct code_map *map, uint64_t start, uint64_t size, uint64_t since_ns,
		const char *name)
{
	struct code_piece piece = { .start = start, .size = size, .since_ns = since_ns };

	return code_map_add(map, &piece, name, strlen(name));
}

static const char *name_at(const struct code_map *map, uint64_t address, uint64_t time_ns)
{
	const struct code_piece *piece = code_map_find(map, address, time_ns);

	return piece ? code_map_name(map, piece) : "";
}

static void test_time(void **state)
{
	struct code_map *map = code_map_new(CODE_MAP_PLACES, false);

	(void)state;
	assert_true(add(map, 0x1000, 0x100, 10, "old"));
	assert_true(add(map, 0x1080, 0x100, 20, "new"));
	assert_string_equal(name_at(map, 0x1090, 5), "old"); /* announced late */
	assert_string_equal(name_at(map, 0x1090, 10), "old");
	assert_string_equal(name_at(map, 0x1090, 19), "old");
	assert_string_equal(name_at(map, 0x1090, 20), "new");
	assert_string_equal(name_at(map, 0x1010, 99), "old");
	assert_string_equal(name_at(map, 0x1100, 5), "new");
	assert_string_equal(name_at(map, 0xfff, 20), "");
	assert_string_equal(name_at(map, 0x1180, 20), "");
	code_map_free(map);
}

/* What lay there first has its addresses as its place, what comes later one of its own. */
static void test_places(void **state)
{
	const uint64_t origin = CODE_MAP_PLACES + 3 * CODE_MAP_ROOM;
	struct code_map *map = code_map_new(origin, false);
	const struct code_piece *piece;

	(void)state;
	add(map, 0x1000, 0x100, 10, "first");
	add(map, 0x1100, 0x100, 20, "beside");
	add(map, 0x10ff, 0x10, 30, "over both");
	add(map, 0x1000, 0x10, 40, "over the first");
	assert_int_equal(code_map_find(map, 0x1000, 10)->place, 0x1000);
	assert_int_equal(code_map_find(map, 0x1100, 20)->place, 0x1100);
	assert_int_equal(code_map_find(map, 0x1100, 30)->place, origin);
	assert_int_equal(code_map_find(map, 0x1000, 40)->place, origin + 0x10);
	piece = code_map_at(map, origin + 0xf);
	assert_string_equal(code_map_name(map, piece), "over both");
	piece = code_map_at(map, origin + 0x10);
	assert_string_equal(code_map_name(map, piece), "over the first");
	assert_null(code_map_at(map, origin + 0x20));
	assert_null(code_map_at(map, origin - 1));
	assert_string_equal(code_map_name(map, code_map_at(map, 0x10ff)), "first");
	assert_string_equal(code_map_name(map, code_map_at(map, 0x1105)), "beside");
	assert_null(code_map_at(map, 0x1200));
	assert_string_equal(code_map_name(map, code_map_newest(map, 0x1000)), "over the first");
	assert_null(code_map_newest(map, 0x1001));
	code_map_free(map);

	map = code_map_new(origin, true);
	add(map, 0x1000, 0x100, 10, "apart");
	assert_int_equal(code_map_find(map, 0x1000, 10)->place, origin);
	assert_null(code_map_at(map, 0x1000));
	code_map_free(map);
}

static void test_said_again(void **state)
{
	struct code_map *map = code_map_new(CODE_MAP_PLACES, false);

	(void)state;
	add(map, 0x1000, 0x100, 10, "a");
	add(map, 0x1000, 0x100, 20, "a");
	assert_int_equal(code_map_newest(map, 0x1000)->since_ns, 10);
	add(map, 0x1000, 0x100, 30, "b");
	add(map, 0x1000, 0x100, 40, "a");
	assert_int_equal(code_map_newest(map, 0x1000)->since_ns, 40);
	assert_string_equal(name_at(map, 0x1000, 35), "b");
	assert_string_equal(name_at(map, 0x1000, 45), "a");
	code_map_free(map);
}

static void test_refused(void **state)
{
	struct code_map *map = code_map_new(CODE_MAP_PLACES, false);
	_cleanup_free_ char *name = malloc(CODE_MAP_MAX_NAME + 10);

	(void)state;
	assert_false(add(map, 0x1000, 0, 1, "empty"));
	assert_false(add(map, UINT64_MAX - 4, 16, 1, "beyond the end"));
	assert_false(add(map, 1ULL << 63, 16, 1, "no address of a program"));
	assert_false(add(map, 0x1000, CODE_MAP_MAX_SIZE + 1, 1, "too large"));
	memset(name, 'x', CODE_MAP_MAX_NAME + 10);
	assert_true(code_map_add(map, &(struct code_piece){ .start = 0x1000, .size = 1 }, name,
				 CODE_MAP_MAX_NAME + 10));
	assert_int_equal(strlen(name_at(map, 0x1000, 1)), CODE_MAP_MAX_NAME);
	code_map_free(map);
}

/* ---- against a list ---- */

struct told {
	uint64_t start, size, since_ns;
	char name[16];
};

static uint64_t random_below(uint64_t *seed, uint64_t limit)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*seed >> 33) % limit;
}

static const char *in_list(const struct told *list, size_t count, uint64_t address,
			   uint64_t time_ns)
{
	const struct told *best = NULL;

	for (size_t i = 0; i < count; i++) {
		if (address - list[i].start >= list[i].size)
			continue;
		if (list[i].since_ns <= time_ns)
			best = best && best->since_ns <= time_ns &&
					       best->since_ns > list[i].since_ns
				       ? best
				       : &list[i];
		else if (!best)
			best = &list[i];
		else if (best->since_ns > time_ns && list[i].since_ns < best->since_ns)
			best = &list[i];
	}
	return best ? best->name : "";
}

static void test_like_a_list(void **state)
{
	enum { COUNT = 1500 };
	struct code_map *map = code_map_new(CODE_MAP_PLACES, false);
	_cleanup_free_ struct told *list = calloc(COUNT, sizeof(*list));
	uint64_t seed = 42;

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		struct told *told = &list[i];

		told->start = 0x10000 + random_below(&seed, 0x40000);
		/* every fiftieth is too large for the pages */
		told->size = 1 + random_below(&seed, i % 50 ? 0x2000 : 0x80000);
		told->since_ns = 10 * i + random_below(&seed, 5);
		snprintf(told->name, sizeof(told->name), "f%zu", i);
		assert_true(add(map, told->start, told->size, told->since_ns, told->name));
	}
	for (int i = 0; i < 20000; i++) {
		uint64_t address = 0xf000 + random_below(&seed, 0x48000);
		uint64_t time_ns = random_below(&seed, 10 * COUNT);
		const struct code_piece *piece = code_map_find(map, address, time_ns);

		assert_string_equal(piece ? code_map_name(map, piece) : "",
				    in_list(list, COUNT, address, time_ns));
		/* and every piece is found by its place */
		if (piece)
			assert_ptr_equal(code_map_at(map, piece->place + (address - piece->start)),
					 piece);
	}
	code_map_free(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time),	    cmocka_unit_test(test_places),
		cmocka_unit_test(test_said_again),  cmocka_unit_test(test_refused),
		cmocka_unit_test(test_like_a_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
