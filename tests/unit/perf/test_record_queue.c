/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/record_queue.h"
#include "perf/records.h"

enum { MOST = 64 };

struct seen {
	uint64_t times[MOST];
	struct perf_mmap maps[MOST];
	size_t count;
};

static struct record_queue *new_queue(size_t rings)
{
	struct perf_format format = perf_record_live_format();

	return record_queue_new(rings, &format);
}

static void take(void *context, const struct perf_record *record)
{
	struct seen *seen = context;

	assert_true(seen->count < MOST);
	seen->times[seen->count] = record->time_ns;
	if (record->type == PERF_RECORD_MMAP2)
		seen->maps[seen->count] = record->mmap;
	seen->count++;
}

static void add_comm(struct record_queue *queue, size_t ring, uint64_t time_ns)
{
	struct made_record made;

	made_comm(&made, time_ns, 5, "name", 0);
	record_queue_add(queue, ring, made.words, made.size);
}

static void add_map(struct record_queue *queue, size_t ring, uint64_t time_ns, uint64_t start,
		    const uint8_t *build_id)
{
	struct made_record made;

	made_mmap(&made, time_ns, start, build_id);
	record_queue_add(queue, ring, made.words, made.size);
}

static void two_rings_become_one_order(void **state)
{
	struct record_queue *queue = new_queue(2);
	struct seen seen = { .count = 0 };

	add_comm(queue, 0, 10);
	add_comm(queue, 0, 30);
	add_comm(queue, 1, 20);
	add_comm(queue, 1, 40);
	record_queue_release(queue, UINT64_MAX, take, &seen);
	assert_int_equal(seen.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(seen.times[i], 10 * (i + 1));
	record_queue_free(queue);
}

static void what_is_too_young_waits(void **state)
{
	struct record_queue *queue = new_queue(2);
	struct seen seen = { .count = 0 };

	add_comm(queue, 0, 10);
	add_comm(queue, 0, 30);
	record_queue_release(queue, 20, take, &seen);
	assert_int_equal(seen.count, 1);
	add_comm(queue, 1, 25); /* came late to its ring, but the cutoff waited for it */
	record_queue_release(queue, 40, take, &seen);
	assert_int_equal(seen.count, 3);
	assert_int_equal(seen.times[1], 25);
	assert_int_equal(seen.times[2], 30);
	assert_int_equal(record_queue_counts(queue).late, 0);
	add_comm(queue, 1, 5); /* later than any cutoff: still handed out, and counted */
	record_queue_release(queue, 40, take, &seen);
	assert_int_equal(seen.count, 4);
	assert_int_equal(record_queue_counts(queue).late, 1);
	record_queue_free(queue);
}

static void the_two_records_of_a_mapping_become_one(void **state)
{
	const uint8_t build_id[20] = { 7, 7, 7, 7, [19] = 7 };

	for (int id_first = 0; id_first <= 1; id_first++) {
		struct record_queue *queue = new_queue(1);
		struct seen seen = { .count = 0 };

		add_map(queue, 0, 10, 0x1000, id_first ? build_id : NULL);
		add_map(queue, 0, 11, 0x1000, id_first ? NULL : build_id);
		record_queue_release(queue, UINT64_MAX, take, &seen);
		assert_int_equal(seen.count, 1);
		assert_int_equal(seen.maps[0].inode, 99);
		assert_int_equal(seen.maps[0].build_id_size, 20);
		assert_memory_equal(seen.maps[0].build_id, build_id, 20);
		record_queue_free(queue);
	}
}

static void a_twin_that_comes_with_the_next_drain_is_joined(void **state)
{
	const uint8_t build_id[20] = { 7, 7, 7, 7 };
	struct record_queue *queue = new_queue(2);
	struct seen seen = { .count = 0 };

	add_comm(queue, 1, 5);
	add_map(queue, 0, 100, 0x1000, NULL);
	record_queue_release(queue, 50, take, &seen);
	add_map(queue, 0, 101, 0x1000, build_id);
	record_queue_release(queue, UINT64_MAX, take, &seen);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.maps[1].build_id_size, 20);
	record_queue_free(queue);
}

static void other_mappings_are_not_joined(void **state)
{
	const uint8_t build_id[20] = { 7, 7, 7, 7 };
	struct record_queue *queue = new_queue(2);
	struct seen seen = { .count = 0 };

	add_map(queue, 0, 10, 0x1000, NULL);
	add_map(queue, 0, 11, 0x5000, build_id); /* elsewhere */
	add_map(queue, 1, 12, 0x1000, build_id); /* on another CPU */
	add_map(queue, 1, 13, 0x1000, build_id); /* the same kind twice: mapped twice */
	record_queue_release(queue, UINT64_MAX, take, &seen);
	assert_int_equal(seen.count, 4);
	record_queue_free(queue);
}

static void a_broken_record_is_counted(void **state)
{
	struct record_queue *queue = new_queue(1);
	struct seen seen = { .count = 0 };
	struct made_record made;

	made_sample(&made, 10, 2, NULL, 9);
	record_queue_add(queue, 0, made.words, made.size);
	record_queue_release(queue, UINT64_MAX, take, &seen);
	assert_int_equal(seen.count, 0);
	assert_int_equal(record_queue_counts(queue).malformed, 1);
	record_queue_free(queue);
}

enum { OUR_ID = 5, FOREIGN_ID = 79 }; /* the second is in all that made_sample makes */

static const struct perf_format *format_of(void *context, uint64_t id)
{
	return id == OUR_ID ? context : NULL;
}

static uint64_t whose(void *context, size_t ring, uint64_t id)
{
	return ring == 1 && id == FOREIGN_ID ? OUR_ID : id;
}

static void note_id(void *context, const struct perf_record *record)
{
	*(uint64_t *)context = *(uint64_t *)context * 100 + record->id;
}

/* Samples without a chain. The second claims to be of an event whose samples have one. */
static void the_writer_of_a_sample_is_asked_for(void **state)
{
	struct perf_format ours = perf_record_live_format();
	struct record_queue *queue = new_queue(2);
	struct made_record made;
	uint64_t ids = 0;

	ours.sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
	record_queue_set_events(queue, &(struct record_queue_events){ .context = &ours,
								      .format_of = format_of,
								      .whose = whose });
	made_sample(&made, 10, 2, NULL, 9);
	record_queue_add(queue, 1, made.words, made.size);
	record_queue_release(queue, UINT64_MAX, note_id, &ids);
	assert_int_equal(ids, OUR_ID);
	record_queue_add(queue, 0, made.words, made.size);
	record_queue_release(queue, UINT64_MAX, note_id, &ids);
	assert_int_equal(ids, OUR_ID);
	assert_int_equal(record_queue_counts(queue).malformed, 1);
	record_queue_free(queue);
}

/* Rings are emptied while what came out of them before is worked on. */
struct adder {
	struct record_queue *queue;
	struct seen seen;
	const uint8_t *build_id;
};

static void take_and_add(void *context, const struct perf_record *record)
{
	struct adder *adder = context;

	take(&adder->seen, record);
	if (adder->seen.count > 1)
		return;
	add_map(adder->queue, 0, 50, 0x1000, adder->build_id);
	add_comm(adder->queue, 1, 30);
}

static void what_comes_meanwhile_waits(void **state)
{
	static const uint8_t build_id[20] = { 1, 2, 3, 4 };
	struct adder adder = { .queue = new_queue(2), .build_id = build_id };

	add_comm(adder.queue, 0, 10);
	add_comm(adder.queue, 1, 20);
	add_map(adder.queue, 0, 50, 0x1000, NULL); /* its twin comes meanwhile */
	record_queue_release(adder.queue, 40, take_and_add, &adder);
	assert_int_equal(adder.seen.count, 2);
	assert_int_equal(adder.seen.times[1], 20);
	record_queue_release(adder.queue, 60, take_and_add, &adder);
	assert_int_equal(adder.seen.count, 4);
	assert_int_equal(adder.seen.times[2], 30);
	assert_int_equal(adder.seen.times[3], 50);
	assert_int_equal(adder.seen.maps[3].build_id_size, sizeof(build_id));
	assert_int_not_equal(adder.seen.maps[3].inode, 0);
	assert_int_equal(record_queue_waiting(adder.queue), 0);
	record_queue_free(adder.queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_rings_become_one_order),
		cmocka_unit_test(what_is_too_young_waits),
		cmocka_unit_test(what_comes_meanwhile_waits),
		cmocka_unit_test(the_two_records_of_a_mapping_become_one),
		cmocka_unit_test(a_twin_that_comes_with_the_next_drain_is_joined),
		cmocka_unit_test(other_mappings_are_not_joined),
		cmocka_unit_test(a_broken_record_is_counted),
		cmocka_unit_test(the_writer_of_a_sample_is_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
