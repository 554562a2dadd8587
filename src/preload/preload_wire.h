/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The memory that profiled processes share with prospect: a file that each of them maps. Prospect makes
 * it, and reads what they write until the last of them has ended.
 *
 *   struct preload_head | struct preload_chunk for each chunk | chunks
 *
 * A process owns a chunk, and appends records to it without locks. What it has written stays when it is
 * killed. The records are the kernel's own of perf_event_open(2), with the fields below, and those of
 * enum preload_record. All of the memory can be changed by every profiled process at any time: its
 * reader believes nothing.
 */
#ifndef PRELOAD_PRELOAD_WIRE_H
#define PRELOAD_PRELOAD_WIRE_H

#include <linux/perf_event.h>
#include <stdint.h>

/* The environment of profiled processes: where the file is. LD_PRELOAD has the library. */
#define PRELOAD_VARIABLE "PROSPECT_PRELOAD"

#define PRELOAD_MAGIC 0x31646f6c6572702dULL

enum {
	PRELOAD_HEAD_BYTES = 4096,
	PRELOAD_CHUNK_BYTES = 64 * 1024,
	PRELOAD_MOST_CHUNKS = 4096,
	PRELOAD_MOST_STACK = 48 * 1024, /* bytes of stack in a sample */
	/* Not used by the C libraries, nor, as far as is known, by others for purposes of their own. Those who do
	 * use it keep it: the library passes on what its timers did not send. */
	PRELOAD_SIGNAL = 61,
};

/* Which time the timers count (QPROF_REAL and QPROF_VIRTUAL of Qprof chose among the same). */
enum preload_clock {
	PRELOAD_CLOCK_CPU,  /* CPU time of the thread */
	PRELOAD_CLOCK_USER, /* only that in user mode */
	PRELOAD_CLOCK_WALL, /* CPU time, and the time in which it waits */
};

struct preload_head {
	uint64_t magic;
	uint32_t chunk_count;
	uint32_t clock; /* enum preload_clock */
	uint64_t period_ns;
	/* CLOCK_REALTIME - CLOCK_MONOTONIC of the reader: in a time namespace a process has another
	 * CLOCK_MONOTONIC, but the same CLOCK_REALTIME. */
	int64_t clock_distance_ns;
	uint32_t stopped; /* set by the reader: nothing is to be written any more */
	uint32_t unused;
	uint64_t dropped;	  /* samples that found no free chunk */
	uint64_t dropped_ns;	  /* what they stood for */
	uint64_t dropped_records; /* others: the reader may lack a process, or mappings */
	uint64_t untimed_threads; /* threads that could get no timer */
	uint64_t stopped_ns;	  /* CPU time in which a program wanted no samples */
};

enum preload_chunk_state {
	PRELOAD_CHUNK_ABSENT, /* its memory is not reserved yet */
	PRELOAD_CHUNK_FREE,
	PRELOAD_CHUNK_OWNED,
	PRELOAD_CHUNK_FULL, /* its owner has gone on to another */
};

struct preload_chunk {
	uint32_t state;		/* enum preload_chunk_state */
	int32_t pid;		/* of the owner */
	uint32_t used;		/* bytes of whole records */
	uint32_t pid_namespace; /* in which it has that pid: the inode of /proc/self/ns/pid */
};

_Static_assert(sizeof(struct preload_head) <= PRELOAD_HEAD_BYTES, "the head has room");
_Static_assert(sizeof(struct preload_chunk) == 16, "as both sides lay it out");

/* Where chunk @index begins, in a file of @count chunks. */
static inline uint64_t preload_chunk_at(uint32_t count, uint32_t index)
{
	uint64_t table = (uint64_t)count * sizeof(struct preload_chunk);

	table = (table + PRELOAD_HEAD_BYTES - 1) / PRELOAD_HEAD_BYTES * PRELOAD_HEAD_BYTES;
	return PRELOAD_HEAD_BYTES + table + (uint64_t)index * PRELOAD_CHUNK_BYTES;
}

/* The fields of samples, and with sample_id_all those at the end of other records of the kernel's. */
#define PRELOAD_SAMPLE_TYPE                                                      \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

/* Registers of samples, by the numbers of <asm/perf_regs.h>. */
#if defined(__aarch64__)
#define PRELOAD_REGISTERS ((1ULL << 33) - 1)
enum { PRELOAD_REGISTER_COUNT = 33, PRELOAD_REGISTER_SP = 31, PRELOAD_REGISTER_PC = 32 };
#else
#define PRELOAD_REGISTERS 0xff01ffULL /* without flags and segments */
enum { PRELOAD_REGISTER_COUNT = 17, PRELOAD_REGISTER_SP = 7, PRELOAD_REGISTER_PC = 8 };
#endif

/* The CPU of a sample whose thread waited in a system call: of its registers only the stack pointer and the
 * program counter are known. */
#define PRELOAD_NO_CPU UINT32_MAX

/* A PERF_RECORD_SAMPLE up to its copy of the stack, which is followed by the number of bytes in it that
 * are valid. */
struct preload_sample {
	struct perf_event_header header;
	uint64_t ip;
	int32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, unused;
	uint64_t period; /* ns of the clock that it stands for */
	uint64_t abi;
	uint64_t registers[PRELOAD_REGISTER_COUNT];
	uint64_t stack_bytes; /* a multiple of 8 */
};

/* A PERF_RECORD_MMAP2, before the NULs that make it a multiple of 8 bytes and the trailer. */
struct preload_map {
	struct perf_event_header header;
	int32_t pid, tid;
	uint64_t start, size, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[];
};

/* The end of the kernel's other records. */
struct preload_trailer {
	int32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, unused;
};

/* Types above those of the kernel's and of perf's own records. */
enum preload_record {
	PRELOAD_RECORD_EXEC = 0x70726570, /* struct preload_exec */
	PRELOAD_RECORD_MARK,		  /* struct preload_mark */
};

/* Why a program that is about to be executed will not be profiled, or one that runs no longer is. */
#define PRELOAD_REFUSALS(X)                                                                 \
	X(NONE, "it did not load the library")                                              \
	X(STATIC, "it is linked statically")                                                \
	X(PRIVILEGED, "it runs with the rights of another user or with capabilities")       \
	X(MACHINE, "it is a program for another machine or of another word size")           \
	X(HIDDEN, "the library or its memory is not there: it runs in another root folder") \
	X(FILTER, "only until it restricted its own system calls: seccomp(2)")              \
	X(SIGNAL, "only until it used signal 61 itself")

#define PRELOAD_REFUSAL_ENUM(id, ...) PRELOAD_REFUSAL_##id,
enum preload_refusal { PRELOAD_REFUSALS(PRELOAD_REFUSAL_ENUM) PRELOAD_REFUSAL_COUNT };

/* The process executes a file: either the library speaks from the new program, or that is not profiled. With an
 * empty path: it has not, for that failed. */
struct preload_exec {
	struct perf_event_header header;
	int32_t pid, tid;
	uint64_t time_ns;
	uint32_t refusal; /* enum preload_refusal; NONE: the library should be loaded */
	uint32_t unused;
	char path[]; /* with a NUL; the record is a multiple of 8 bytes */
};

enum { PRELOAD_MOST_MARK = 200 }; /* bytes of a mark */

/* The program has called prospect_mark. */
struct preload_mark {
	struct perf_event_header header;
	int32_t pid, unused;
	uint64_t time_ns;
	char text[]; /* as the path above */
};

#endif
