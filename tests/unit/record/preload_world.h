/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the tests of what preloaded processes write: the memory as they see it, and what becomes of it. */
#ifndef TESTS_UNIT_RECORD_PRELOAD_WORLD_H
#define TESTS_UNIT_RECORD_PRELOAD_WORLD_H

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attribute/fixture.h"

#include "attribute/attribute.h"
#include "attribute/kept_samples.h"
#include "base/clock.h"
#include "record/preload_source.h"

enum { COMMAND = 3000000, CHILD = 3000001, CODE = 0x400000 }; /* no processes of this machine */

struct world {
	struct fixture in;
	struct preload_memory *memory;
	struct preload_head *head;
	size_t bytes;
	struct store_writer writer;
	struct preload_source *source;
	struct attribution *attribution;
	uint64_t now_ns;
	uint32_t pid_namespace;
};

static inline void map_memory(struct world *world)
{
	struct err err;
	struct stat file;
	int fd;

	assert_int_equal(preload_memory_new(1000000, PRELOAD_CLOCK_CPU, &world->memory, &err), 0);
	fd = open(preload_memory_path(world->memory), O_RDWR);
	assert_int_equal(fstat(fd, &file), 0);
	world->bytes = (size_t)file.st_size;
	world->head = mmap(NULL, world->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(world->head, MAP_FAILED);
	close(fd);
	assert_int_equal(stat("/proc/self/ns/pid", &file), 0);
	world->pid_namespace = (uint32_t)file.st_ino;
}

static inline int begin(void **state)
{
	static struct world world;
	const struct machine_process command = { .pid = COMMAND, .comm = "prospect" };
	struct attribution_parts parts;

	world = (struct world){ .in = fixture_new(profile_new()), .now_ns = clock_ns() };
	map_memory(&world);
	fixture_make_stacks(&world.in, 8, NULL);
	machine_add_process(world.in.machine, &command);
	machine_await_command(world.in.machine, COMMAND);
	world.source = preload_source_new(world.in.profile, world.in.machine, world.memory, 97,
					  PRELOAD_CLOCK_CPU, COMMAND, NULL);
	parts = (struct attribution_parts){ .profile = world.in.profile,
					    .machine = world.in.machine,
					    .files = world.in.files,
					    .source = preload_source_records(world.source),
					    .writer = &world.writer,
					    .frames = &world.in.frames,
					    .stacks = world.in.stacks };
	world.attribution = attribution_new(&parts);
	*state = &world;
	return 0;
}

static inline int end(void **state)
{
	struct world *world = *state;

	attribution_free(world->attribution);
	preload_source_free(world->source);
	fixture_done(&world->in);
	profile_free(world->in.profile);
	munmap(world->head, world->bytes);
	preload_memory_free(world->memory);
	return 0;
}

/* ---- what a process writes, each into a chunk of its own ---- */

static inline void put(struct world *world, uint32_t index, const void *record, size_t size)
{
	struct preload_chunk *chunk =
		(struct preload_chunk *)(void *)((char *)world->head + PRELOAD_HEAD_BYTES) + index;
	char *bytes = (char *)world->head + preload_chunk_at(PRELOAD_MOST_CHUNKS, index);

	memcpy(bytes + chunk->used, record, size);
	chunk->used += (uint32_t)size;
	chunk->pid = getpid(); /* a process that is there */
	chunk->pid_namespace = world->pid_namespace;
	chunk->state = PRELOAD_CHUNK_OWNED;
}

static inline void put_fork(struct world *world, uint32_t index, int32_t pid, int32_t parent,
			    uint64_t time_ns)
{
	const struct {
		struct perf_event_header header;
		int32_t pid, parent_pid, tid, parent_tid;
		uint64_t time_ns;
		struct preload_trailer trailer;
	} record = { { PERF_RECORD_FORK, 0, sizeof(record) },
		     pid,
		     parent,
		     pid,
		     parent,
		     time_ns,
		     { pid, pid, time_ns, 0, 0 } };

	put(world, index, &record, sizeof(record));
}

static inline void put_exec(struct world *world, uint32_t index, int32_t pid, const char *comm,
			    uint64_t time_ns)
{
	struct {
		struct perf_event_header header;
		int32_t pid, tid;
		char comm[16];
		struct preload_trailer trailer;
	} record = { { PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, sizeof(record) },
		     pid,
		     pid,
		     "",
		     { pid, pid, time_ns, 0, 0 } };

	strcpy(record.comm, comm);
	put(world, index, &record, sizeof(record));
}

static inline void put_map(struct world *world, uint32_t index, int32_t pid, uint64_t start,
			   const char *path, uint64_t time_ns)
{
	struct {
		struct perf_event_header header;
		int32_t pid, tid;
		uint64_t start, size, offset;
		uint32_t major, minor;
		uint64_t inode, generation;
		uint32_t protection, flags;
		char path[32];
		struct preload_trailer trailer;
	} record = { .header = { PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, sizeof(record) },
		     .pid = pid,
		     .tid = pid,
		     .start = start,
		     .size = 0x1000,
		     .inode = 12,
		     .protection = PROT_EXEC,
		     .trailer = { pid, pid, time_ns, 0, 0 } };

	strcpy(record.path, path);
	put(world, index, &record, sizeof(record));
}

static inline void put_sample(struct world *world, uint32_t index, int32_t pid, uint64_t period,
			      uint64_t time_ns)
{
	struct preload_sample record = {
		.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(record) },
		.ip = CODE + 0x10,
		.pid = pid,
		.tid = pid,
		.time_ns = time_ns,
		.period = period,
		.abi = PERF_SAMPLE_REGS_ABI_64,
	};

	record.registers[PRELOAD_REGISTER_PC] = CODE + 0x10;
	record.registers[PRELOAD_REGISTER_SP] = 0x7000;
	put(world, index, &record, sizeof(record));
}

static inline const char *program_of(const struct world *world, size_t sample)
{
	const struct profile *profile = world->in.profile;
	uint32_t task = world->writer.samples[sample].task;

	return profile_text(profile,
			    profile->processes.items[profile->tasks.items[task].process].program);
}

#endif
