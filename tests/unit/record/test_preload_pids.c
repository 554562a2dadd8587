/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/folder.h"
#include "record/preload_memory.h"
#include "record/preload_pids.h"

enum { SOME_NAMESPACE = 4026531836U, ANOTHER = 4026532000U };

static void test_numbers(void **state)
{
	struct preload_pids pids = { 0 };

	(void)state;
	assert_int_equal(preload_pids_number(&pids, PRELOAD_OURS, 12), 12);
	assert_int_equal(preload_pids_number(&pids, SOME_NAMESPACE, 1), PRELOAD_PIDS_STEP + 1);
	assert_int_equal(preload_pids_number(&pids, ANOTHER, 1), 2 * PRELOAD_PIDS_STEP + 1);
	assert_int_equal(preload_pids_number(&pids, SOME_NAMESPACE, 7), PRELOAD_PIDS_STEP + 7);
	assert_int_equal(preload_pids_number(&pids, SOME_NAMESPACE, -1), -1);
	assert_true(preload_pids_is_ours(12));
	assert_false(preload_pids_is_ours(PRELOAD_PIDS_STEP + 1));
	assert_false(preload_pids_is_ours(0));
}

/* However many there are, the numbers stay numbers. */
static void test_most(void **state)
{
	struct preload_pids pids = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 10 * PRELOAD_PIDS_MOST; i++)
		assert_true(preload_pids_number(&pids, 1000 + i, 4194304) > PRELOAD_PIDS_STEP);
	assert_int_equal(preload_pids_number(&pids, 1000, 3), PRELOAD_PIDS_STEP + 3);
}

static void test_records(void **state)
{
	struct {
		struct perf_event_header header;
		int32_t pid, parent_pid, tid, parent_tid;
		uint64_t time_ns;
		struct preload_trailer trailer;
	} fork = { .header = { .type = PERF_RECORD_FORK, .size = sizeof(fork) },
		   .pid = 3,
		   .parent_pid = 1,
		   .tid = 4,
		   .parent_tid = 2,
		   .time_ns = 99,
		   .trailer = { .pid = 3, .tid = 4, .time_ns = 99 } };
	struct preload_sample sample = { .header = { .type = PERF_RECORD_SAMPLE },
					 .ip = 77,
					 .pid = 3,
					 .tid = 4,
					 .time_ns = 99 };
	struct preload_pids pids = { 0 };

	(void)state;
	preload_pids_translate(&pids, PRELOAD_OURS, &fork, sizeof(fork));
	assert_int_equal(fork.pid, 3);
	preload_pids_translate(&pids, SOME_NAMESPACE, &fork, sizeof(fork));
	assert_int_equal(fork.pid, PRELOAD_PIDS_STEP + 3);
	assert_int_equal(fork.parent_pid, PRELOAD_PIDS_STEP + 1);
	assert_int_equal(fork.tid, PRELOAD_PIDS_STEP + 4);
	assert_int_equal(fork.parent_tid, PRELOAD_PIDS_STEP + 2);
	assert_int_equal(fork.trailer.tid, PRELOAD_PIDS_STEP + 4);
	assert_int_equal(fork.time_ns, 99);
	preload_pids_translate(&pids, SOME_NAMESPACE, &sample, sizeof(sample));
	assert_int_equal(sample.ip, 77);
	assert_int_equal(sample.pid, PRELOAD_PIDS_STEP + 3);
	assert_int_equal(sample.tid, PRELOAD_PIDS_STEP + 4);
	assert_int_equal(sample.time_ns, 99);
	/* Too short for what they say that they are. */
	for (size_t size = 0; size < sizeof(fork); size++) {
		_Alignas(8) char copy[sizeof(fork)];

		memcpy(copy, &fork, size);
		preload_pids_translate(&pids, SOME_NAMESPACE, copy, size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_most),
		cmocka_unit_test(test_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
