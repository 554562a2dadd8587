/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "perf/records.h"
#include "perf/ring.h"

enum { RING_BYTES = 256, SCRATCH_BYTES = 65536 };

/* A ring as the kernel would leave it, in ordinary memory. */
struct fake {
	struct perf_event_mmap_page page;
	uint8_t data[RING_BYTES];
	struct ring ring;
};

static struct fake *fake_new(uint64_t tail)
{
	struct fake *fake = test_calloc(1, sizeof(*fake));

	fake->page.data_head = fake->page.data_tail = tail;
	fake->ring = (struct ring){ .page = &fake->page,
				    .data = fake->data,
				    .size = RING_BYTES,
				    .wrapped = test_malloc(SCRATCH_BYTES) };
	return fake;
}

static void fake_free(struct fake *fake)
{
	test_free(fake->ring.wrapped);
	test_free(fake);
}

static void put(struct fake *fake, const struct made_record *made)
{
	for (size_t i = 0; i < made->size; i++)
		fake->data[(fake->page.data_head + i) % RING_BYTES] =
			((const uint8_t *)made->words)[i];
	fake->page.data_head += made->size;
}

struct seen {
	int count;
	uint8_t bytes[RING_BYTES];
	size_t size;
};

static void take(void *context, const void *bytes, size_t size)
{
	struct seen *seen = context;

	seen->count++;
	memcpy(seen->bytes, bytes, size);
	seen->size = size;
}

static void records_across_the_end_are_whole(void **state)
{
	/* Wherever the record starts in the ring, it comes out as it went in. */
	for (uint64_t tail = 0; tail < 2 * RING_BYTES; tail += 8) {
		struct fake *fake = fake_new(tail);
		struct seen seen = { 0 };
		struct made_record made;

		made_mmap(&made, 10, 0x1000, NULL);
		put(fake, &made);
		assert_int_equal(ring_read(&fake->ring, take, &seen), made.size);
		assert_int_equal(seen.count, 1);
		assert_int_equal(seen.size, made.size);
		assert_memory_equal(seen.bytes, made.words, made.size);
		assert_int_equal(fake->page.data_tail, fake->page.data_head);
		fake_free(fake);
	}
}

static void a_size_beyond_the_head_ends_the_reading(void **state)
{
	struct fake *fake = fake_new(0);
	struct seen seen = { 0 };
	struct made_record made;

	made_comm(&made, 10, 5, "name", 0);
	made.size = 200;
	made_end(&made, PERF_RECORD_COMM, 0); /* claims more than will be there */
	made.size = 64;
	put(fake, &made);
	ring_read(&fake->ring, take, &seen);
	assert_int_equal(seen.count, 0);
	assert_int_equal(fake->page.data_tail, fake->page.data_head);
	fake_free(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_across_the_end_are_whole),
		cmocka_unit_test(a_size_beyond_the_head_ends_the_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
