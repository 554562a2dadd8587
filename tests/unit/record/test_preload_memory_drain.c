/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/folder.h"
#include "record/preload_memory.h"

/* As a profiled process sees it. */
struct writer {
	struct preload_memory *memory;
	struct preload_head *head;
	struct preload_chunk *chunks;
	size_t bytes;
	uint32_t pid_namespace;
};

static void open_writer(struct writer *writer)
{
	struct err err;
	struct stat file;
	int fd;

	assert_int_equal(preload_memory_new(1000000, PRELOAD_CLOCK_CPU, &writer->memory, &err), 0);
	fd = open(preload_memory_path(writer->memory), O_RDWR);
	assert_int_equal(fstat(fd, &file), 0);
	assert_int_equal(file.st_mode & 0777, 0600);
	writer->bytes = (size_t)file.st_size;
	writer->head = mmap(NULL, writer->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(writer->head, MAP_FAILED);
	close(fd);
	assert_true(writer->head->magic == PRELOAD_MAGIC);
	writer->chunks = (struct preload_chunk *)((char *)writer->head + PRELOAD_HEAD_BYTES);
	stat("/proc/self/ns/pid", &file);
	writer->pid_namespace = (uint32_t)file.st_ino;
}

static void close_writer(struct writer *writer)
{
	munmap(writer->head, writer->bytes);
	preload_memory_free(writer->memory);
}

static char *chunk_of(const struct writer *writer, uint32_t index)
{
	return (char *)writer->head + preload_chunk_at(writer->head->chunk_count, index);
}

static void claim(const struct writer *writer, uint32_t index, int32_t pid)
{
	assert_int_equal(writer->chunks[index].state, PRELOAD_CHUNK_FREE);
	writer->chunks[index].state = PRELOAD_CHUNK_OWNED;
	writer->chunks[index].pid = pid;
	writer->chunks[index].pid_namespace = writer->pid_namespace;
}

static void put(const struct writer *writer, uint32_t index, uint16_t size)
{
	const struct perf_event_header header = { .type = 7, .size = size };
	uint32_t used = writer->chunks[index].used;

	memcpy(chunk_of(writer, index) + used, &header, sizeof(header));
	writer->chunks[index].used = used + (size + 7) / 8 * 8;
}

struct taken {
	size_t records, bytes;
};

static void take(void *context, uint32_t pid_namespace, void *bytes, size_t size)
{
	struct taken *taken = context;
	struct perf_event_header header;

	(void)pid_namespace;
	assert_true((uintptr_t)bytes % 8 == 0);
	memcpy(&header, bytes, sizeof(header));
	assert_int_equal(header.size, size);
	memset(bytes, 0, size); /* it is the taker's */
	taken->records++;
	taken->bytes += size;
}

static struct taken drain(const struct writer *writer)
{
	struct taken taken = { 0 };

	preload_memory_drain(writer->memory, take, &taken);
	return taken;
}

static void test_records_come_once(void **state)
{
	struct writer writer;

	(void)state;
	open_writer(&writer);
	claim(&writer, 0, getpid());
	put(&writer, 0, 8);
	put(&writer, 0, 64);
	assert_int_equal(drain(&writer).records, 2);
	assert_int_equal(drain(&writer).records, 0);
	put(&writer, 0, 24);
	assert_int_equal(drain(&writer).bytes, 24);
	assert_int_equal(writer.chunks[0].state, PRELOAD_CHUNK_OWNED);
	writer.chunks[0].state = PRELOAD_CHUNK_FULL;
	put(&writer, 0, 32);
	assert_int_equal(drain(&writer).bytes, 32);
	assert_int_equal(writer.chunks[0].state, PRELOAD_CHUNK_FREE);
	claim(&writer, 0, getpid());
	put(&writer, 0, 40);
	assert_int_equal(drain(&writer).bytes, 40); /* from the beginning again */
	assert_int_equal(preload_memory_counts(writer.memory).malformed, 0);
	close_writer(&writer);
}

static void test_chunks_of_ended_processes_are_free_again(void **state)
{
	struct writer writer;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	open_writer(&writer);
	claim(&writer, 3, pid);
	put(&writer, 3, 16);
	claim(&writer, 4, pid);
	writer.chunks[4].pid_namespace++; /* who that is there, is not known */
	put(&writer, 4, 16);
	assert_int_equal(drain(&writer).records, 2);
	assert_int_equal(writer.chunks[3].state, PRELOAD_CHUNK_FREE);
	assert_int_equal(writer.chunks[4].state, PRELOAD_CHUNK_OWNED);
	close_writer(&writer);
}

/* More chunks are reserved before the last one is taken. */
static void test_chunks_do_not_run_out(void **state)
{
	struct writer writer;
	uint32_t taken = 0;

	(void)state;
	open_writer(&writer);
	for (uint32_t i = 0; i < 200; i++) {
		assert_int_equal(writer.chunks[i].state, PRELOAD_CHUNK_FREE);
		claim(&writer, i, getpid());
		taken++;
		if (taken % 32 == 0)
			drain(&writer);
	}
	close_writer(&writer);
}

static void test_nonsense(void **state)
{
	static const uint16_t sizes[] = { 0, 1, 7, 9, 12, 65535, 65528 };
	struct writer writer;
	uint64_t malformed = 0;

	(void)state;
	open_writer(&writer);
	for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct perf_event_header header = { .type = 7, .size = sizes[i] };

		claim(&writer, i, getpid());
		put(&writer, i, 16);
		memcpy(chunk_of(&writer, i) + 16, &header, sizeof(header));
		writer.chunks[i].used = 1024;
		assert_int_equal(drain(&writer).records, 1);
		assert_int_equal(preload_memory_counts(writer.memory).malformed, ++malformed);
		put(&writer, i, 16);
		assert_int_equal(drain(&writer).records, 1); /* what is written later is read */
	}
	writer.chunks[0].used = PRELOAD_CHUNK_BYTES + 8;
	writer.chunks[1].used = 8; /* less than was read */
	writer.chunks[2].used = 13;
	writer.chunks[3].state = 12345;
	assert_int_equal(drain(&writer).records, 0);
	assert_true(preload_memory_counts(writer.memory).malformed > malformed);
	writer.head->chunk_count = 1;
	writer.head->magic = 0;
	assert_int_equal(drain(&writer).records, 0);
	close_writer(&writer);
}

static void test_random(void **state)
{
	struct writer writer;
	uint64_t seed = 88172645463325252ULL;

	(void)state;
	open_writer(&writer);
	for (int round = 0; round < 200; round++) {
		uint32_t index = (uint32_t)round % 8;
		uint64_t *words = (uint64_t *)(void *)chunk_of(&writer, index);

		for (size_t i = 0; i < PRELOAD_CHUNK_BYTES / 8; i++) {
			seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
			words[i] = i % 3 ? seed : (seed & 0x00780000ffffffff) | 7;
		}
		writer.chunks[index].state = (uint32_t)seed % 5;
		writer.chunks[index].used = (uint32_t)(seed >> 32) % (2 * PRELOAD_CHUNK_BYTES);
		writer.chunks[index].pid = round % 2 ? getpid() : (int32_t)seed;
		drain(&writer);
	}
	close_writer(&writer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_come_once),
		cmocka_unit_test(test_chunks_of_ended_processes_are_free_again),
		cmocka_unit_test(test_chunks_do_not_run_out),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
