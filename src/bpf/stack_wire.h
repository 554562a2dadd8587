/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The interface of the stack program and user space: the tables that user space writes, and the
 * records that the program puts into the per-CPU perf ring (PERF_SAMPLE_RAW of a
 * PERF_COUNT_SW_BPF_OUTPUT event).
 *
 * Tables are stored in "words" of 4 bytes, numbered through all segments. A segment is one map of 1
 * MiB, created on demand. The rows of one page, and the block of a space, never cross segments.
 *
 *   space id -> struct stack_space -> block of mappings, sorted -> pages -> rows -> rules
 */
#ifndef BPF_STACK_WIRE_H
#define BPF_STACK_WIRE_H

#include <linux/types.h>

/* In an address of a user stack: this is no return address. A signal interrupted the code there, or
 * it is the code to which a signal handler returns. User addresses never have this bit. */
#define UNWIND_EXACT (1ULL << 63)

enum {
	STACK_MAX_KERNEL = 127, /* default of kernel.perf_event_max_stack */
	STACK_MAX_USER = 1024,	/* the largest --max-depth */
	STACK_DUMP_MAX = 32768, /* the most bytes of a stack copy */
	UNWIND_REGISTERS = 33,	/* DWARF numbers 0..32 */
};

/* A user thread's registers by DWARF number (x86-64 psABI figure 3.36: 6 rbp, 7 rsp, 16 return
 * address; AArch64 DWARF: 29 fp, 30 lr, 31 sp), and the program counter. */
struct unwind_registers {
	__u64 pc;
	__u64 values[UNWIND_REGISTERS];
	__u64 known; /* bit n: values[n] is valid */
};

/* Why a walk ended. The names are those of STACK_ENDS in model/words.h, except MORE: not yet. */
#define UNWIND_ENDS(X)    \
	X(COMPLETE)       \
	X(NO_ROWS)        \
	X(NO_MEMORY)      \
	X(BAD_FRAME)      \
	X(TOO_DEEP)       \
	X(TOO_LARGE)      \
	X(GONE)           \
	X(STALE)          \
	X(LOST)           \
	X(FRAME_POINTERS) \
	X(UNKNOWN)        \
	X(SWITCHED)

enum unwind_end {
	UNWIND_MORE,
#define ROW(id) UNWIND_END_##id,
	UNWIND_ENDS(ROW)
#undef ROW
		UNWIND_END_COUNT
};

/* ---- written by user space ---- */

enum {
	STACK_SEGMENT_WORDS = 1 << 18, /* 1 MiB */
	STACK_MAX_SEGMENTS = 1 << 10,
	STACK_MAX_RULES = 1 << 15,    /* distinct ones; all libraries of a machine have 5,000 */
	STACK_MAX_SPACES = 1 << 15,   /* processes with a table at the same time */
	STACK_MAX_MAPPINGS = 1 << 14, /* of one process: half a segment */
	STACK_KNOWN_HASHES = 1 << 18, /* stacks that need not be sent again */
};

/* How frames in a mapping are walked. */
enum stack_map_kind {
	STACK_MAP_ROWS,
	STACK_MAP_WAITING,	  /* not examined yet: send a dump */
	STACK_MAP_FRAME_POINTERS, /* JIT code, or a file without any rows */
};

/* A range of executable memory. */
struct stack_mapping {
	__u64 start, end;
	__u64 base;  /* where the first page of the image's table is mapped */
	__u32 pages; /* of STACK_MAP_ROWS: the image's first struct stack_page, as an index in
			words through all segments */
	__u32 page_count;
};

/* The kind is in the upper bits of page_count. */
#define STACK_MAPPING_PAGES(count, kind) ((__u32)(count) | (__u32)(kind) << 30)
#define STACK_MAPPING_COUNT(pages)	 ((pages) & ((1U << 30) - 1))
#define STACK_MAPPING_KIND(pages)	 ((pages) >> 30)

/* A page of an image: rows as in unwind_rows.h, with rule numbers of the common table. */
struct stack_page {
	__u32 rows; /* the word of the first row */
	__u32 count;
};

enum { STACK_ENTRIES = 2 }; /* code where a program starts: the executable's, the interpreter's */

/* A space's block: this, followed by its mappings. */
struct stack_block {
	__u64 entry_start[STACK_ENTRIES], entry_end[STACK_ENTRIES];
};

/* An address space with a table. */
struct stack_space {
	__u64 generation;
	__u32 block; /* the word of its struct stack_block */
	__u32 mapping_count;
};

/* ---- written by the program ---- */

/* The user part of a sample. */
enum stack_form {
	STACK_FORM_NONE,  /* there is none, or it is not available: see `end` */
	STACK_FORM_KNOWN, /* the whole stack, kernel and user, is that of an earlier record with
			     this hash */
	STACK_FORM_ADDRESSES,
	STACK_FORM_DUMP, /* registers and memory; the addresses are as far as the program got */
};

enum {
	STACK_CONTEXT_UNKNOWN = 255, /* else enum stack_context */
	STACK_FLAG_CUT = 1,	     /* the stack continues after the copy */
};

enum stack_context { STACK_CONTEXT_TASK, STACK_CONTEXT_SOFTIRQ, STACK_CONTEXT_HARDIRQ };

/*
 * One sample. Raw data in a perf record begin 4 bytes after a multiple of 8, after their own 32-bit
 * size. That size is the first field here, so that the rest is aligned. After this struct:
 *
 *   kernel_count addresses, user_count addresses, in a DUMP struct unwind_registers, then
 *   stack_size bytes of memory at stack_address
 */
struct stack_record {
	__u32 raw_size; /* perf's */
	__u8 form;	/* enum stack_form */
	__u8 context;	/* enum stack_context or STACK_CONTEXT_UNKNOWN */
	__u8 end;	/* enum unwind_end, of the user part */
	__u8 flags;
	__u64 event; /* PERF_EVENT_IOC_ID of the event that ticked */
	__u64 period;
	__u64 hash; /* of kernel part, user part, end and generation; 0: never KNOWN */
	__u64 space;
	__u64 generation; /* of the space's table; 0: none */
	__u64 stack_address;
	__u32 stack_size;
	__u16 kernel_count, user_count;
};

_Static_assert(sizeof(struct stack_mapping) == 32, "as both sides lay it out");
_Static_assert(sizeof(struct stack_page) == 8, "as both sides lay it out");
_Static_assert(sizeof(struct stack_block) == 32, "as both sides lay it out");
_Static_assert(sizeof(struct stack_space) == 16, "as both sides lay it out");
_Static_assert(sizeof(struct stack_record) == 64, "as both sides lay it out");
_Static_assert(sizeof(struct unwind_registers) == 280, "as both sides lay it out");

/* What the program counts on each CPU. */
#define STACK_COUNTERS(X)                                                                   \
	X(RUNS, "runs", "samples the program took")                                         \
	X(KNOWN, "known", "stacks that were known already")                                 \
	X(DUMPS, "dumps", "stacks that user space had to walk")                             \
	X(FRAMES, "frames", "user frames walked in the interrupt")                          \
	X(RING_FULL, "ring full", "records that had no room: sent without their user part") \
	X(LOST, "lost", "samples that had no room at all")                                  \
	X(TIMED_RUNS, "timed runs", "runs that were timed")                                 \
	X(TIMED_NS, "timed ns", "and what they took")

#define STACK_COUNTER_ENUM(id, ...) STACK_COUNTER_##id,
enum stack_counter { STACK_COUNTERS(STACK_COUNTER_ENUM) STACK_COUNTER_COUNT };

/* One in this many runs is timed. */
enum { STACK_TIMED = 64 };

/* STACK_COUNTER_LOST by event. A CPU with more events than entries (each thread has its own) counts
 * the rest in the sum only. */
enum { STACK_LOSSES = 32 };

struct stack_loss {
	__u64 event; /* as in struct stack_record; 0: free entry */
	__u64 count;
};

/* State of one CPU. */
struct stack_cpu {
	__u64 running; /* odd while the program runs there: its tables then stay unchanged */
	/* Bytes of stack copied so far, and the limit set by user space: between two drains, copies
	 * may fill half of the ring, so that the other half is left for samples. */
	__u64 copied, copy_limit;
	__u64 counters[STACK_COUNTER_COUNT];
	struct stack_loss losses[STACK_LOSSES];
};

_Static_assert(sizeof(struct stack_loss) == 16, "as both sides lay it out");
_Static_assert(sizeof(struct stack_cpu) == 24 + STACK_COUNTER_COUNT * 8 + STACK_LOSSES * 16,
	       "as both sides lay it out");

#endif
