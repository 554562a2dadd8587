/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples in buckets of time: none is lost, whatever has to be made coarser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "aggregate/trees/heat.h"
#include "base/clock.h"

enum {
	START_S = 1000,
	NODES = 50,
	SAMPLES = 100000, /* more than are merged at once */
};

#define START (START_S * NS_PER_S)

static void a_sample_is_in_the_bucket_of_its_time(void **state)
{
	struct heat heat;

	(void)state;
	heat_init(&heat, START, START + 10 * NS_PER_S, 0, 0);
	assert_int_equal(heat.bucket_ns, NS_PER_S / HEAT_ROWS);
	assert_int_equal(heat.columns, 10);
	heat_add(&heat, START + 19999999, 0, 7, 1, 5);
	heat_add(&heat, START + 20000000, 0, 7, 1, 6);
	heat_add(&heat, START + 39999999, 0, 7, 1, 7);
	heat_add(&heat, START + 20000000, 0, 3, 1, 8);
	heat_add(&heat, START + 20000000, 2, 3, 1, 4);
	heat_add(&heat, START - 5, 0, 1, 1, 9);
	heat_add(&heat, START + 11 * NS_PER_S, 0, 2, 1, 10);
	heat_merge(&heat);
	assert_int_equal(heat.entries.count, 6);
	assert_int_equal(heat.entries.items[0].node, 1);
	assert_int_equal(heat.entries.items[1].bucket, 0);
	assert_int_equal(heat.entries.items[1].weight, 5);
	assert_int_equal(heat.entries.items[2].bucket, 1);
	assert_int_equal(heat.entries.items[2].node, 3);
	assert_int_equal(heat.entries.items[3].samples, 2);
	assert_int_equal(heat.entries.items[3].weight, 13);
	assert_int_equal(heat.entries.items[4].lane, 2);
	assert_int_equal(heat.entries.items[4].weight, 4);
	assert_int_equal(heat.entries.items[5].bucket, 499);
	heat_done(&heat);
}

/* The weights of the buckets from the first entry on, and the place of its sample. */
static void assert_lasting(const struct heat *heat, const uint32_t *buckets,
			   const uint64_t *weights, size_t count)
{
	assert_int_equal(heat->entries.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(heat->entries.items[i].bucket, buckets[i]);
		assert_int_equal(heat->entries.items[i].weight, weights[i]);
		assert_int_equal(heat->entries.items[i].samples, i + 1 == count);
		assert_int_equal(heat->entries.items[i].lane, 3);
		assert_int_equal(heat->entries.items[i].node, 7);
	}
}

/* Buckets of 1 s, of which there are 10. */
static void what_lasts_is_in_each_bucket_that_it_covers(void **state)
{
	static const struct {
		double end_s, length_s;
		uint32_t buckets[4];
		double weights_s[4];
		size_t count;
	} cases[] = {
		{ 4.5, 0.5, { 4 }, { 0.5 }, 1 },
		{ 4.5, 0, { 4 }, { 0 }, 1 },
		{ 4.5, 2, { 2, 3, 4 }, { 0.5, 1, 0.5 }, 3 },
		{ 4, 2, { 2, 3, 4 }, { 1, 1, 0 }, 3 },
		{ 1.5, 100, { 0, 1 }, { 99.5, 0.5 }, 2 },    /* began long before */
		{ 1.5, 5000, { 0, 1 }, { 4999.5, 0.5 }, 2 }, /* and before the clock did */
		{ 12, 4, { 8, 9 }, { 1, 3 }, 2 },	     /* ended later */
		{ -1, 1, { 0 }, { 1 }, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t weights[4];
		struct heat heat;

		for (size_t j = 0; j < cases[i].count; j++)
			weights[j] = (uint64_t)(cases[i].weights_s[j] * 1e9);
		heat_init(&heat, START, START + 10 * NS_PER_S, NS_PER_S, 1);
		assert_int_equal(heat_add_lasting(&heat,
						  (uint64_t)((START_S + cases[i].end_s) * 1e9), 3,
						  7, 1, (uint64_t)(cases[i].length_s * 1e9)),
				 cases[i].count);
		heat_merge(&heat);
		assert_lasting(&heat, cases[i].buckets, weights, cases[i].count);
		heat_done(&heat);
	}
}

static void columns_suit_the_time(void **state)
{
	static const struct {
		double duration_s;
		uint64_t wanted_s;
		uint64_t column_ns;
	} cases[] = {
		{ 10, 0, NS_PER_S },	      { 5, 0, NS_PER_S },
		{ 4.9, 0, NS_PER_S / 10 },    { 0.01, 0, NS_PER_MS },
		{ 0, 0, NS_PER_MS },	      { 1000, 0, NS_PER_S },
		{ 1001, 0, 5 * NS_PER_S },    { 5001, 0, 10 * NS_PER_S },
		{ 86400, 0, 100 * NS_PER_S }, { 100, 10, 10 * NS_PER_S },
		{ 30000, 10, 50 * NS_PER_S },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct heat heat;
		uint64_t duration_ns = (uint64_t)(cases[i].duration_s * 1e9);

		heat_init(&heat, START, START + duration_ns, cases[i].wanted_s * NS_PER_S, 0);
		assert_int_equal(heat.bucket_ns * heat.rows, cases[i].column_ns);
		assert_true(heat.columns >= 1 && heat.columns <= HEAT_MAX_COLUMNS);
		assert_true((uint64_t)heat.columns * cases[i].column_ns >= duration_ns);
		heat_done(&heat);
	}
}

/* Samples all over 100 s; *ret_weight by second of the time. */
static void fill(struct heat *heat, uint64_t weights[100])
{
	uint64_t state = 1;

	for (uint32_t i = 0; i < SAMPLES; i++) {
		/* Second by second, but not in order within each of them, as in a file. */
		uint64_t at = (i / 1000 * 1000 + i * 7 % 1000) * NS_PER_MS;

		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		heat_add(heat, START + at, i % 2, (uint32_t)(state >> 33) % NODES, 1, 1 + i % 9);
		weights[at / NS_PER_S] += 1 + i % 9;
	}
	heat_merge(heat);
}

static void longer_columns_lose_nothing(void **state)
{
	uint64_t weights[100] = { 0 }, sums[100] = { 0 }, samples = 0;
	struct heat heat;

	(void)state;
	heat_init(&heat, START, START + 100 * NS_PER_S, 0, 0);
	fill(&heat, weights);
	while (heat.bucket_ns < NS_PER_S)
		assert_true(heat_lengthen(&heat));
	assert_true(heat.entries.count <= 100 * 2 * NODES);
	assert_int_equal(heat.bucket_ns % (NS_PER_S / HEAT_ROWS), 0);
	/* There are few columns: what they are cut into goes first. */
	assert_int_equal(heat.columns, 100);
	assert_int_equal(heat.rows, 1);
	for (size_t i = 0; i < heat.entries.count; i++) {
		const struct heat_entry *entry = &heat.entries.items[i];

		assert_true(entry->bucket < heat.columns * heat.rows);
		if (i)
			assert_true(
				entry[-1].bucket < entry->bucket ||
				(entry[-1].bucket == entry->bucket &&
				 (entry[-1].lane < entry->lane || (entry[-1].lane == entry->lane &&
								   entry[-1].node < entry->node))));
		sums[entry->bucket * heat.bucket_ns / NS_PER_S] += entry->weight;
		samples += entry->samples;
	}
	assert_int_equal(samples, SAMPLES);
	for (uint64_t second = 0; second < 100; second++) {
		/* A bucket is a second or more by now: the sums are those of its seconds. */
		uint64_t bucket = second * NS_PER_S / heat.bucket_ns * heat.bucket_ns / NS_PER_S;

		if (bucket != second) {
			weights[bucket] += weights[second];
			weights[second] = 0;
		}
	}
	assert_memory_equal(sums, weights, sizeof(sums));
	heat_done(&heat);
}

/* Whatever the order in which samples come, there is one entry for each place. */
static void the_order_of_samples_is_all_the_same(void **state)
{
	struct heat forward, backward;

	(void)state;
	heat_init(&forward, START, START + 100 * NS_PER_S, 0, 0);
	heat_init(&backward, START, START + 100 * NS_PER_S, 0, 0);
	for (uint32_t i = 0; i < SAMPLES; i++) {
		uint32_t j = SAMPLES - 1 - i;

		heat_add(&forward, START + i * NS_PER_MS, 0, i % NODES, 1, i);
		heat_add(&backward, START + j * NS_PER_MS, 0, j % NODES, 1, j);
	}
	heat_merge(&forward);
	heat_merge(&backward);
	/* 20 samples are in a bucket, all of them of another node. */
	assert_int_equal(forward.entries.count, SAMPLES);
	assert_int_equal(backward.entries.count, SAMPLES);
	for (size_t i = 0; i < SAMPLES; i++) {
		const struct heat_entry *entry = &forward.entries.items[i];

		assert_int_equal(entry->bucket, i / 20);
		assert_true(i % 20 == 0 || entry[-1].node < entry->node);
		assert_int_equal(entry->bucket, backward.entries.items[i].bucket);
		assert_int_equal(entry->node, backward.entries.items[i].node);
		assert_int_equal(entry->weight, backward.entries.items[i].weight);
	}
	heat_done(&forward);
	heat_done(&backward);
}

/* Coarser at any time or at the end: the entries are the same. */
static void when_columns_get_longer_is_all_the_same(void **state)
{
	enum { ADDED = 200000, STEPS = 4 };
	uint64_t random = 5;
	struct heat early, late;

	(void)state;
	heat_init(&early, START, START + 1000 * NS_PER_S, 0, 0);
	heat_init(&late, START, START + 1000 * NS_PER_S, 0, 0);
	for (uint32_t i = 0; i < ADDED; i++) {
		/* More or less in order of time, some outside of it. */
		uint64_t at = START + i * (1010 * NS_PER_S / ADDED) - 2 * NS_PER_S;
		uint32_t node;

		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		at += (random >> 33) % (3 * NS_PER_S);
		node = (uint32_t)(random >> 40) % (NODES * 300);
		heat_add(&early, at, random >> 62, node, 1, i % 5);
		heat_add(&late, at, random >> 62, node, 1, i % 5);
		if (i % (ADDED / STEPS) == 1000)
			assert_true(heat_lengthen(&early));
	}
	for (int i = 0; i < STEPS; i++)
		assert_true(heat_lengthen(&late));
	heat_merge(&early);
	heat_merge(&late);
	assert_int_equal(early.bucket_ns, late.bucket_ns);
	assert_int_equal(early.entries.count, late.entries.count);
	assert_memory_equal(early.entries.items, late.entries.items,
			    early.entries.count * sizeof(*early.entries.items));
	heat_done(&early);
	heat_done(&late);
}

static void one_bucket_cannot_become_coarser(void **state)
{
	uint64_t weights[100] = { 0 };
	struct heat heat;

	(void)state;
	heat_init(&heat, START, START + 100 * NS_PER_S, 0, 1);
	fill(&heat, weights);
	assert_int_equal(heat.columns, 100);
	while (heat_lengthen(&heat))
		;
	assert_int_equal(heat.entries.count, 2 * NODES);
	assert_int_equal(heat.columns, 1);
	assert_false(heat_lengthen(&heat));
	heat_done(&heat);
}

static void nodes_are_put_together(void **state)
{
	uint64_t weights[100] = { 0 }, whole = 0;
	uint32_t to[NODES];
	struct heat heat;

	(void)state;
	for (uint32_t i = 0; i < NODES; i++)
		to[i] = i % 2;
	heat_init(&heat, START, START + 100 * NS_PER_S, 0, 0);
	fill(&heat, weights);
	heat_map(&heat, to);
	for (size_t i = 0; i < heat.entries.count; i++) {
		assert_true(heat.entries.items[i].node < 2);
		whole += heat.entries.items[i].weight;
	}
	for (size_t i = 0; i < 100; i++)
		whole -= weights[i];
	assert_int_equal(whole, 0);
	assert_true(heat.entries.count <= 2 * 10000);
	heat_done(&heat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_is_in_the_bucket_of_its_time),
		cmocka_unit_test(what_lasts_is_in_each_bucket_that_it_covers),
		cmocka_unit_test(columns_suit_the_time),
		cmocka_unit_test(longer_columns_lose_nothing),
		cmocka_unit_test(when_columns_get_longer_is_all_the_same),
		cmocka_unit_test(the_order_of_samples_is_all_the_same),
		cmocka_unit_test(one_bucket_cannot_become_coarser),
		cmocka_unit_test(nodes_are_put_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
