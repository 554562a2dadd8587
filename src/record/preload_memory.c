/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/preload_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"

enum {
	/* Chunks that are ready to be taken: a writer that touched memory which its file system does not
	 * have would be killed, so it is reserved before. */
	READY = 64,
	MOST_READY = 2048,
	READY_PER_TAKEN = 4,   /* more may be taken until the next drain, and that may come late */
	UNKNOWN_NAMESPACE = 1, /* the kernel has no inode of this number for one */
	PATH_ROOM = 256,
};

struct preload_memory {
	char path[PATH_ROOM];
	int fd;
	struct preload_head *head;
	size_t bytes;
	struct preload_chunk *chunks;	     /* in the shared memory */
	uint32_t reserved;		     /* of the chunks, the first ones */
	uint32_t ready;			     /* so many are to be free after each drain, */
	uint32_t left;			     /* so many were after the last one */
	uint64_t dropped;		     /* records, at the last one */
	bool full;			     /* the file system has no room for more */
	uint32_t taken[PRELOAD_MOST_CHUNKS]; /* bytes of each that were passed on */
	uint32_t pid_namespace;
	uint64_t malformed;
	_Alignas(8) uint8_t record[PRELOAD_CHUNK_BYTES];
};

/* ---- making it ---- */

static uint32_t own_pid_namespace(void)
{
	struct stat file;

	return stat("/proc/self/ns/pid", &file) == 0 ? (uint32_t)file.st_ino : 0;
}

static bool make_file(struct preload_memory *memory, const char *folder)
{
	if (!folder || *folder != '/' ||
	    snprintf(memory->path, sizeof(memory->path), "%s/prospect-preload-XXXXXX", folder) >=
		    (int)sizeof(memory->path))
		return false;
	memory->fd = mkostemp(memory->path, O_CLOEXEC);
	return memory->fd >= 0;
}

static bool make_file_somewhere(struct preload_memory *memory)
{
	return make_file(memory, "/dev/shm") || make_file(memory, secure_getenv("TMPDIR")) ||
	       make_file(memory, "/tmp");
}

static uint32_t count_free(const struct preload_memory *memory)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < memory->reserved; i++)
		count += __atomic_load_n(&memory->chunks[i].state, __ATOMIC_RELAXED) ==
			 PRELOAD_CHUNK_FREE;
	return count;
}

/* Reserves memory for chunks until enough of them are free, as far as there is room. */
static void reserve(struct preload_memory *memory)
{
	memory->left = count_free(memory);
	while (!memory->full && memory->left < memory->ready &&
	       memory->reserved < PRELOAD_MOST_CHUNKS) {
		uint64_t at = preload_chunk_at(PRELOAD_MOST_CHUNKS, memory->reserved);

		memory->full = posix_fallocate(memory->fd, (off_t)at, PRELOAD_CHUNK_BYTES) != 0;
		if (memory->full)
			break;
		__atomic_store_n(&memory->chunks[memory->reserved++].state, PRELOAD_CHUNK_FREE,
				 __ATOMIC_RELEASE);
		memory->left++;
	}
}

/* @taken of the chunks that were free after the last drain no longer are. */
static void adapt(struct preload_memory *memory, uint32_t taken)
{
	uint64_t dropped = __atomic_load_n(&memory->head->dropped, __ATOMIC_RELAXED) +
			   __atomic_load_n(&memory->head->dropped_records, __ATOMIC_RELAXED);
	uint32_t wanted = READY_PER_TAKEN * taken;

	if (dropped != memory->dropped && wanted < 2 * memory->ready)
		wanted = 2 * memory->ready;
	memory->dropped = dropped;
	if (wanted > MOST_READY)
		wanted = MOST_READY;
	if (wanted > memory->ready)
		memory->ready = wanted;
}

static int map_file(struct preload_memory *memory, struct err *err)
{
	uint64_t table = preload_chunk_at(PRELOAD_MOST_CHUNKS, 0);
	void *mapped;

	memory->bytes = preload_chunk_at(PRELOAD_MOST_CHUNKS, PRELOAD_MOST_CHUNKS);
	if (ftruncate(memory->fd, (off_t)memory->bytes) < 0 ||
	    posix_fallocate(memory->fd, 0, (off_t)table) != 0)
		return err_set(err, -ENOSPC, "%s: no room for the samples of preloaded programs",
			       memory->path);
	mapped = mmap(NULL, memory->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd, 0);
	if (mapped == MAP_FAILED)
		return err_set(err, -errno, "%s: cannot map it: %s", memory->path, strerror(errno));
	memory->head = mapped;
	memory->chunks = (struct preload_chunk *)((char *)mapped + PRELOAD_HEAD_BYTES);
	return 0;
}

int preload_memory_new(uint64_t period_ns, enum preload_clock clock,
		       struct preload_memory **ret_memory, struct err *err)
{
	struct preload_memory *memory = xcalloc(1, sizeof(*memory));
	int rc;

	memory->ready = READY;
	if (!make_file_somewhere(memory)) {
		rc = err_set(err, -errno, "cannot make a file in /dev/shm, $TMPDIR or /tmp: %s",
			     strerror(errno));
		free(memory);
		return rc;
	}
	rc = map_file(memory, err);
	if (rc == 0) {
		reserve(memory);
		if (!memory->reserved)
			rc = err_set(err, -ENOSPC,
				     "%s: no room for the samples of preloaded programs",
				     memory->path);
	}
	if (rc < 0) {
		preload_memory_free(memory);
		return rc;
	}
	memory->pid_namespace = own_pid_namespace();
	memory->head->chunk_count = PRELOAD_MOST_CHUNKS;
	memory->head->clock = clock;
	memory->head->period_ns = period_ns;
	memory->head->clock_distance_ns = (int64_t)(clock_read(CLOCK_REALTIME) - clock_ns());
	memory->head->magic = PRELOAD_MAGIC;
	*ret_memory = memory;
	return 0;
}

void preload_memory_free(struct preload_memory *memory)
{
	if (!memory)
		return;
	if (memory->head) {
		__atomic_store_n(&memory->head->stopped, 1, __ATOMIC_RELEASE);
		munmap(memory->head, memory->bytes);
	}
	unlink(memory->path);
	close(memory->fd);
	free(memory);
}

const char *preload_memory_path(const struct preload_memory *memory)
{
	return memory->path;
}

/* ---- taking records out ---- */

static uint32_t namespace_of(const struct preload_memory *memory, const struct preload_chunk *chunk)
{
	uint32_t pid_namespace = __atomic_load_n(&chunk->pid_namespace, __ATOMIC_RELAXED);

	if (pid_namespace == memory->pid_namespace)
		return PRELOAD_OURS;
	return pid_namespace == PRELOAD_OURS ? UNKNOWN_NAMESPACE : pid_namespace;
}

/* A process of another PID namespace has a number there that says nothing here: its chunk is taken back
 * when it says that it has left it. */
static bool owner_is_gone(const struct preload_memory *memory, const struct preload_chunk *chunk)
{
	int32_t pid = __atomic_load_n(&chunk->pid, __ATOMIC_ACQUIRE);

	return namespace_of(memory, chunk) == PRELOAD_OURS && pid > 0 && kill(pid, 0) < 0 &&
	       errno == ESRCH;
}

/* Passes the records from *at on to before @end; @chunk has PRELOAD_CHUNK_BYTES. */
static void take_records(struct preload_memory *memory, uint32_t pid_namespace,
			 const uint8_t *chunk, uint32_t *at, uint32_t end, preload_take *take,
			 void *context)
{
	struct perf_event_header header;

	while (*at < end) {
		memcpy(&header, chunk + *at, sizeof(header));
		if (header.size < sizeof(header) || header.size % 8 != 0 ||
		    header.size > end - *at) {
			memory->malformed++;
			*at = end;
			return;
		}
		memcpy(memory->record, chunk + *at, header.size);
		/* As checked, not as it may be now. */
		memcpy(memory->record, &header, sizeof(header));
		take(context, pid_namespace, memory->record, header.size);
		*at += header.size;
	}
}

static void drain_chunk(struct preload_memory *memory, uint32_t index, preload_take *take,
			void *context)
{
	struct preload_chunk *chunk = &memory->chunks[index];
	const uint8_t *bytes =
		(const uint8_t *)memory->head + preload_chunk_at(PRELOAD_MOST_CHUNKS, index);
	uint32_t state = __atomic_load_n(&chunk->state, __ATOMIC_ACQUIRE), used;
	bool ended;

	if (state != PRELOAD_CHUNK_OWNED && state != PRELOAD_CHUNK_FULL)
		return;
	ended = state == PRELOAD_CHUNK_FULL || owner_is_gone(memory, chunk);
	used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
	if (used > PRELOAD_CHUNK_BYTES || used % 8 != 0) {
		memory->malformed++;
		used = memory->taken[index];
	}
	/* Its owner had set this before it wrote. */
	take_records(memory, namespace_of(memory, chunk), bytes, &memory->taken[index], used, take,
		     context);
	if (!ended)
		return;
	memory->taken[index] = 0;
	__atomic_store_n(&chunk->used, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&chunk->pid, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&chunk->state, PRELOAD_CHUNK_FREE, __ATOMIC_RELEASE);
}

void preload_memory_drain(struct preload_memory *memory, preload_take *take, void *context)
{
	uint32_t left = count_free(memory);
	uint32_t taken = left < memory->left ? memory->left - left : 0;

	for (uint32_t i = 0; i < memory->reserved; i++)
		drain_chunk(memory, i, take, context);
	adapt(memory, taken);
	reserve(memory);
}

struct preload_memory_counts preload_memory_counts(const struct preload_memory *memory)
{
	const struct preload_head *head = memory->head;

	return (struct preload_memory_counts){ .malformed = memory->malformed,
					       .dropped = head->dropped,
					       .dropped_ns = head->dropped_ns,
					       .dropped_records = head->dropped_records,
					       .untimed_threads = head->untimed_threads,
					       .stopped_ns = head->stopped_ns };
}
