/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory changes while it is read: a record is copied, and is what was checked. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/preload_memory.h"

enum { CHUNKS = 4, ROUNDS = 3000 };

struct shared {
	struct preload_memory *memory;
	struct preload_head *head;
	size_t bytes;
	int over;
	size_t records;
};

static int begin(void **state)
{
	static struct shared shared;
	struct stat file;
	struct err err;
	int fd;

	shared = (struct shared){ 0 };
	assert_int_equal(preload_memory_new(1000000, PRELOAD_CLOCK_CPU, &shared.memory, &err), 0);
	fd = open(preload_memory_path(shared.memory), O_RDWR);
	assert_int_equal(fstat(fd, &file), 0);
	shared.bytes = (size_t)file.st_size;
	shared.head = mmap(NULL, shared.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(shared.head, MAP_FAILED);
	close(fd);
	*state = &shared;
	return 0;
}

static int end(void **state)
{
	struct shared *shared = *state;

	preload_memory_free(shared->memory);
	assert_true(shared->head->stopped); /* those who still have it learn of the end */
	munmap(shared->head, shared->bytes);
	return 0;
}

static volatile struct preload_chunk *chunk_of(const struct shared *shared, uint32_t index)
{
	return (struct preload_chunk *)(void *)((char *)shared->head + PRELOAD_HEAD_BYTES) + index;
}

/* Sizes of headers change all the time, and all that says how far there is something. */
static void *change(void *context)
{
	struct shared *shared = context;
	uint64_t seed = 88172645463325252ULL;

	while (!__atomic_load_n(&shared->over, __ATOMIC_RELAXED)) {
		uint32_t index, at;
		volatile struct perf_event_header *header;

		seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
		index = (uint32_t)seed % CHUNKS;
		at = (uint32_t)(seed >> 20) % 64 * 64;
		header = (volatile struct perf_event_header *)(void *)((char *)shared->head +
								       preload_chunk_at(
									       PRELOAD_MOST_CHUNKS,
									       index) +
								       at);
		header->size = seed >> 40 & 1 ? 64 : (uint16_t)(seed >> 44);
		if (seed >> 60)
			continue;
		chunk_of(shared, index)->used = (uint32_t)(seed >> 30) % (80 * 1024);
		chunk_of(shared, index)->state = (uint32_t)(seed >> 50) % 5;
		chunk_of(shared, index)->pid = (int32_t)seed;
		chunk_of(shared, index)->pid_namespace = (uint32_t)(seed >> 10);
	}
	return NULL;
}

static void take(void *context, uint32_t pid_namespace, void *bytes, size_t size)
{
	struct shared *shared = context;
	struct perf_event_header header;

	(void)pid_namespace;
	memcpy(&header, bytes, sizeof(header));
	assert_int_equal(header.size, size);
	assert_true(size >= sizeof(header) && size % 8 == 0 && size <= PRELOAD_CHUNK_BYTES);
	memset(bytes, 0xff, size);
	shared->records++;
}

static void test_changes(void **state)
{
	struct shared *shared = *state;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, change, shared), 0);
	for (int i = 0; i < ROUNDS; i++)
		preload_memory_drain(shared->memory, take, shared);
	__atomic_store_n(&shared->over, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
}

/* One header, as fast as it can be done. */
static void *flip(void *context)
{
	struct shared *shared = context;
	volatile struct perf_event_header *header =
		(volatile struct perf_event_header *)(void *)((char *)shared->head +
							      preload_chunk_at(PRELOAD_MOST_CHUNKS,
									       0));

	while (!__atomic_load_n(&shared->over, __ATOMIC_RELAXED)) {
		header->size = 64;
		header->size = 128;
	}
	return NULL;
}

static void test_sizes_are_those_that_were_checked(void **state)
{
	struct shared *shared = *state;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, flip, shared), 0);
	for (int i = 0; i < 100 * ROUNDS; i++) {
		chunk_of(shared, 0)->used = 128;
		chunk_of(shared, 0)->state = PRELOAD_CHUNK_FULL;
		preload_memory_drain(shared->memory, take, shared);
	}
	__atomic_store_n(&shared->over, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
}

/* Writers that append, and leave a chunk when it is full, beside a reader: all comes, in order. */
struct number {
	struct perf_event_header header;
	uint64_t number;
};

static void *append(void *context)
{
	struct shared *shared = context;
	uint64_t number = 0;
	uint32_t index = 0, used = 0;

	while (number < 200000) {
		struct number record = { { 9, 0, sizeof(record) }, number };

		if (used == 0) {
			uint32_t is_free = PRELOAD_CHUNK_FREE;

			for (index = 0; index < 64; index++, is_free = PRELOAD_CHUNK_FREE) {
				if (__atomic_compare_exchange_n(&chunk_of(shared, index)->state,
								&is_free, PRELOAD_CHUNK_OWNED,
								false, __ATOMIC_ACQUIRE,
								__ATOMIC_RELAXED))
					break;
			}
			if (index == 64)
				continue;
			chunk_of(shared, index)->pid = getpid();
		}
		memcpy((char *)shared->head + preload_chunk_at(PRELOAD_MOST_CHUNKS, index) + used,
		       &record, sizeof(record));
		used += (uint32_t)sizeof(record);
		__atomic_store_n(&chunk_of(shared, index)->used, used, __ATOMIC_RELEASE);
		number++;
		if (used + sizeof(record) > PRELOAD_CHUNK_BYTES) {
			__atomic_store_n(&chunk_of(shared, index)->state, PRELOAD_CHUNK_FULL,
					 __ATOMIC_RELEASE);
			used = 0;
		}
	}
	__atomic_store_n(&shared->over, 1, __ATOMIC_RELEASE);
	return NULL;
}

static uint8_t seen[200000];

static void see(void *context, uint32_t pid_namespace, void *bytes, size_t size)
{
	struct shared *shared = context;
	struct number record;

	(void)pid_namespace;
	assert_int_equal(size, sizeof(record));
	memcpy(&record, bytes, sizeof(record));
	assert_true(record.number < sizeof(seen));
	assert_int_equal(seen[record.number]++, 0);
	shared->records++;
}

static void test_nothing_is_lost(void **state)
{
	struct shared *shared = *state;
	pthread_t thread;
	int over;

	assert_int_equal(pthread_create(&thread, NULL, append, shared), 0);
	do {
		over = __atomic_load_n(&shared->over, __ATOMIC_ACQUIRE);
		preload_memory_drain(shared->memory, see, shared);
	} while (!over);
	pthread_join(thread, NULL);
	assert_int_equal(shared->records, sizeof(seen));
	assert_int_equal(preload_memory_counts(shared->memory).malformed, 0);
}

static uint32_t count_free(const struct shared *shared)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < PRELOAD_MOST_CHUNKS; i++)
		count += chunk_of(shared, i)->state == PRELOAD_CHUNK_FREE;
	return count;
}

static void test_more_room_where_samples_were_dropped(void **state)
{
	struct shared *shared = *state;
	uint32_t before = count_free(shared);

	preload_memory_drain(shared->memory, take, shared);
	assert_int_equal(count_free(shared), before);
	shared->head->dropped += 5;
	preload_memory_drain(shared->memory, take, shared);
	assert_int_equal(count_free(shared), 2 * before);
	preload_memory_drain(shared->memory, take, shared);
	assert_int_equal(count_free(shared), 2 * before);
	for (int i = 0; i < 20; i++) {
		shared->head->dropped++;
		preload_memory_drain(shared->memory, take, shared);
	}
	assert_in_range(count_free(shared), 2 * before, PRELOAD_MOST_CHUNKS / 2);
}

static void take_chunks(const struct shared *shared, uint32_t count)
{
	for (uint32_t i = 0; count; i++) {
		volatile struct preload_chunk *chunk = chunk_of(shared, i);

		if (chunk->state != PRELOAD_CHUNK_FREE)
			continue;
		chunk->state = PRELOAD_CHUNK_FULL;
		count--;
	}
}

/* Before anything was dropped: what was taken once may be taken again, by more, and before a later drain. */
static void test_more_room_where_much_is_taken(void **state)
{
	struct shared *shared = *state;
	uint32_t before = count_free(shared);

	take_chunks(shared, before / 8);
	preload_memory_drain(shared->memory, take, shared);
	assert_int_equal(count_free(shared), before);
	take_chunks(shared, before);
	preload_memory_drain(shared->memory, take, shared);
	assert_int_equal(count_free(shared), 4 * before);
	preload_memory_drain(shared->memory, take, shared);
	assert_int_equal(count_free(shared), 4 * before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_changes, begin, end),
		cmocka_unit_test_setup_teardown(test_sizes_are_those_that_were_checked, begin, end),
		cmocka_unit_test_setup_teardown(test_nothing_is_lost, begin, end),
		cmocka_unit_test_setup_teardown(test_more_room_where_much_is_taken, begin, end),
		cmocka_unit_test_setup_teardown(test_more_room_where_samples_were_dropped, begin,
						end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
