/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hashidx.h"
#include "base/vec.h"

struct owner {
	VEC(uint64_t) keys;
};

static bool equal(const void *owner, uint32_t id, const void *key)
{
	const struct owner *own = owner;

	assert_true(id < own->keys.count);
	return own->keys.items[id] == *(const uint64_t *)key;
}

static void add(struct hashidx *index, struct owner *owner, uint64_t hash, uint64_t key)
{
	hashidx_add(index, hash, (uint32_t)owner->keys.count);
	*vec_push(&owner->keys) = key;
}

static void finds_all_while_growing(void **state)
{
	struct hashidx index = { 0 };
	struct owner owner = { 0 };
	uint32_t id;

	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t key = i * 3;

		assert_false(hashidx_find(&index, hash_u64(key), equal, &owner, &key, &id));
		add(&index, &owner, hash_u64(key), key);
		assert_true(index.count * 3 <= index.size * 2);
	}
	for (uint64_t key = 0; key < 60000; key++) {
		bool found = hashidx_find(&index, hash_u64(key), equal, &owner, &key, &id);

		assert_int_equal(found, key % 3 == 0);
		if (found)
			assert_int_equal(id, key / 3);
	}
	hashidx_done(&index);
	assert_int_equal(index.size, 0);
	vec_free(&owner.keys);
}

/* One hash for all keys is slow, but each key is still found. */
static void tells_equal_hashes_apart(void **state)
{
	struct hashidx index = { 0 };
	struct owner owner = { 0 };
	uint64_t absent = 1000;
	uint32_t id = 77;

	for (uint64_t key = 0; key < 200; key++)
		add(&index, &owner, 42, key);
	for (uint64_t key = 0; key < 200; key++) {
		assert_true(hashidx_find(&index, 42, equal, &owner, &key, &id));
		assert_int_equal(id, key);
	}
	assert_false(hashidx_find(&index, 42, equal, &owner, &absent, &id));
	assert_int_equal(id, 199);
	hashidx_done(&index);
	vec_free(&owner.keys);
}

static void empty_finds_nothing(void **state)
{
	struct hashidx index = { 0 };
	struct owner owner = { 0 };
	uint64_t key = 0;
	uint32_t id;

	assert_false(hashidx_find(&index, 0, equal, &owner, &key, &id));
	hashidx_done(&index);
}

/* A guess is the id if nothing stands in its way, and never one of another hash. */
static void guesses_are_of_the_same_hash(void **state)
{
	enum { COUNT = 5000 };
	struct hashidx index = { 0 };
	uint32_t id, right = 0;

	assert_false(hashidx_guess(&index, 1, &id));
	hashidx_fetch(&index, 1);
	for (uint32_t i = 0; i < COUNT; i++)
		hashidx_add(&index, hash_u64(i), i);
	for (uint32_t i = 0; i < 2 * COUNT; i++) {
		hashidx_fetch(&index, hash_u64(i));
		if (!hashidx_guess(&index, hash_u64(i), &id))
			continue;
		assert_int_equal(id, i);
		right++;
	}
	assert_in_range(right, COUNT / 2, COUNT);
	assert_int_equal(index.count, COUNT);
	hashidx_done(&index);
}

/* The first outputs of splitmix64 for the seed 1234567, as published with the algorithm. */
static void splitmix_vectors(void **state)
{
	static const uint64_t outputs[] = { 6457827717110365317ULL, 3203168211198807973ULL,
					    9817491932198370423ULL, 4593380528125082431ULL,
					    16408922859458223821ULL };
	uint64_t seed = 1234567;

	for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++) {
		seed += 0x9e3779b97f4a7c15ULL;
		assert_int_equal(hash_u64(seed), outputs[i]);
	}
}

/* FNV-1a test vectors (64 bits), passed through the same finaliser. */
static void fnv_vectors(void **state)
{
	assert_int_equal(hash_bytes("", 0), hash_u64(0xcbf29ce484222325ULL));
	assert_int_equal(hash_bytes("a", 1), hash_u64(0xaf63dc4c8601ec8cULL));
	assert_int_equal(hash_bytes("foobar", 6), hash_u64(0x85944171f73967e8ULL));
}

static void combining_is_ordered(void **state)
{
	assert_true(hash_combine(hash_combine(0, 1), 2) != hash_combine(hash_combine(0, 2), 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_all_while_growing),
		cmocka_unit_test(tells_equal_hashes_apart),
		cmocka_unit_test(empty_finds_nothing),
		cmocka_unit_test(guesses_are_of_the_same_hash),
		cmocka_unit_test(splitmix_vectors),
		cmocka_unit_test(fnv_vectors),
		cmocka_unit_test(combining_is_ordered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
