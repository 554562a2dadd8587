/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What profiled processes have written into the memory that they share with prospect: the first bytes are what a
 * chunk's row says, the rest is the chunk.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf/record_queue.h"
#include "record/preload_execs.h"
#include "record/preload_memory.h"
#include "record/preload_pids.h"
#include "target.h"

static volatile uint64_t sink;

struct taker {
	struct preload_pids pids;
	struct preload_execs *execs;
	struct record_queue *queue;
};

static void take(void *context, uint32_t pid_namespace, void *bytes, size_t size)
{
	struct taker *taker = context;
	struct perf_event_header header;

	preload_pids_translate(&taker->pids, pid_namespace, bytes, size);
	memcpy(&header, bytes, sizeof(header));
	if (header.type == PRELOAD_RECORD_EXEC)
		preload_execs_add(taker->execs, bytes, size);
	else
		record_queue_add(taker->queue, 0, bytes, size);
}

static void look_at(void *context, const struct perf_record *record)
{
	(void)context;
	sink += record->time_ns + (uint64_t)record->pid;
	if (record->type == PERF_RECORD_COMM)
		sink += strlen(record->comm.comm);
	else if (record->type == PERF_RECORD_MMAP2)
		sink += strlen(record->mmap.path);
	for (size_t i = 0; record->type == PERF_RECORD_SAMPLE && i < record->sample.stack.size; i++)
		sink += ((const uint8_t *)record->sample.stack.bytes)[i];
}

/* The memory is made once: each input takes a chunk of it, and leaves it. */
static struct preload_memory *memory;
static struct preload_head *head;

static void make_memory(void)
{
	size_t bytes = preload_chunk_at(PRELOAD_MOST_CHUNKS, PRELOAD_MOST_CHUNKS);
	struct err err;
	int fd;

	if (preload_memory_new(1000000, PRELOAD_CLOCK_CPU, &memory, &err) < 0)
		abort();
	fd = open(preload_memory_path(memory), O_RDWR);
	head = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (head == MAP_FAILED)
		abort();
	close(fd);
	unlink(preload_memory_path(memory));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct perf_format format = { .sample_type = PRELOAD_SAMPLE_TYPE,
						   .regs_user = PRELOAD_REGISTERS,
						   .sample_id_all = true };
	struct preload_chunk row, *rows;
	struct taker taker = { .execs = NULL };
	char *sentence, *chunk;

	if (size < sizeof(row) || size - sizeof(row) > PRELOAD_CHUNK_BYTES)
		return 0;
	if (!memory)
		make_memory();
	taker.execs = preload_execs_new();
	taker.queue = record_queue_new(1, &format);
	rows = (struct preload_chunk *)((char *)head + PRELOAD_HEAD_BYTES);
	memcpy(&row, bytes, sizeof(row));
	chunk = (char *)head + preload_chunk_at(PRELOAD_MOST_CHUNKS, 0);
	memcpy(chunk, bytes + sizeof(row), size - sizeof(row));
	memset(chunk + size - sizeof(row), 0, PRELOAD_CHUNK_BYTES - (size - sizeof(row)));
	rows[0] = row;
	preload_memory_drain(memory, take, &taker);
	rows[0].state = PRELOAD_CHUNK_FULL;
	preload_memory_drain(memory, take, &taker);
	preload_execs_match(taker.execs);
	record_queue_release(taker.queue, UINT64_MAX, look_at, NULL);
	sentence = preload_execs_sentence(taker.execs, false);
	sink += sentence ? strlen(sentence) : 0;
	free(sentence);
	record_queue_free(taker.queue);
	preload_execs_free(taker.execs);
	return 0;
}
