/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes PERF_RECORD_SAMPLE with every field of perf_event_open(2), in the kernel's order.
 * Pointers borrow from the record's bytes, or in the other byte order from the format's swap_room.
 */
#ifndef PERF_PERF_SAMPLE_H
#define PERF_PERF_SAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/reader.h"
#include "base/vec.h"
#include "bpf/stack_wire.h"
#include "model/words.h"

/*
 * How to read an event's records: the parts of its perf_event_attr that determine the layout of
 * samples and trailers (perf_event_open(2)).
 */

/* Missing in the kernel headers of Debian 12. */
#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif
#define PERF_BRANCH_COUNTERS (1U << 19) /* PERF_SAMPLE_BRANCH_COUNTERS, Linux 6.8 */

/* The most words a record can have: its size is a 16-bit field. */
enum { PERF_FORMAT_MAX_WORDS = 65536 / 8 };

struct perf_format {
	uint64_t sample_type; /* PERF_SAMPLE_* */
	uint64_t read_format; /* PERF_FORMAT_* */
	uint64_t branch_type; /* PERF_SAMPLE_BRANCH_* */
	uint64_t regs_user;   /* the registers of PERF_SAMPLE_REGS_USER: PERF_REG_*, a bit each */
	uint64_t regs_intr;   /* those of PERF_SAMPLE_REGS_INTR */
	bool sample_id_all;   /* records other than samples end in a trailer */
	/* NULL: the records have our byte order. Otherwise they have the other one, and this is a
	 * buffer of PERF_FORMAT_MAX_WORDS words for the swapped arrays of a record. The record last
	 * read borrows it. */
	uint64_t *swap_room;
};

/* The format of an event with these attributes, which are in our byte order. */
struct perf_format perf_format_of(const struct perf_event_attr *attr);

/* Bytes of the trailer; 0 if there is none. */
size_t perf_format_trailer_size(const struct perf_format *format);

/* Where time and id are. In a sample: bytes from the start of the record. In other records: bytes
 * before the end. Events that share a buffer agree on these places, so the id can be read before
 * the event is known. False if the format has no such field. */
bool perf_format_time_at(const struct perf_format *format, bool sample, size_t *ret_bytes);
bool perf_format_id_at(const struct perf_format *format, bool sample, size_t *ret_bytes);

/*
 * The user part of a sample's stack, in the form that the kernel side could provide:
 *
 *   NONE       no stack: a kernel thread (end COMPLETE), or the reason why it is missing (GONE,
 *              LOST, UNKNOWN)
 *   KNOWN      the whole stack, kernel and user part, equals that of an earlier sample with the
 *              same hash
 *   ADDRESSES  unwound in the interrupt
 *   DUMP       registers and a copy of part of the stack, for unwinder_walk
 *   CALLCHAIN  the kernel's walk along frame pointers (end FRAME_POINTERS)
 *
 * In `addresses` the innermost is the pc itself. The others are return addresses, except those with
 * UNWIND_EXACT or-ed in.
 */
enum user_stack_form {
	USER_STACK_NONE,
	USER_STACK_KNOWN,
	USER_STACK_ADDRESSES,
	USER_STACK_DUMP,
	USER_STACK_CALLCHAIN,
};

/* Pointers are borrowed like the record's. */
struct user_stack {
	enum user_stack_form form;
	enum stack_end end; /* DUMP: why the interrupt could not walk it; KNOWN: unset */
	/* Samples with one hash have one stack, kernel part included; 0: no hash. A consumer keeps
	 * its result for a hash, and finds it again when the form is KNOWN. */
	uint64_t hash;
	uint64_t space;	     /* the address space, for stack_tables_set_space; 0: unknown */
	uint64_t generation; /* of the table that the interrupt used; 0: none */
	/* ADDRESSES, CALLCHAIN: the stack. DUMP: as far as the interrupt got, or all of it (end
	 * COMPLETE) if sampler_options.verify_stacks asked for both. */
	const uint64_t *addresses;
	size_t count;
	/* DUMP */
	const struct unwind_registers *registers;
	uint64_t stack_address;
	const void *stack;
	size_t stack_size;
	bool stack_cut; /* the copy ends before the stack does */
};

struct perf_branch {
	uint64_t from, to;
	uint64_t flags; /* the bit field of struct perf_branch_entry, in the writer's bit order */
};

struct perf_branches {
	const struct perf_branch *items; /* youngest first */
	size_t count;
};

/* Counts of the event (one member) or of all members of its group; see struct perf_reads. */
struct perf_read {
	const uint64_t *words; /* each member begins with its current count */
	size_t count;	       /* of members; 0: no counts */
	size_t step;	       /* words from one member to the next */
	size_t id_at;	       /* which word of a member is its id; 0: no id */
};

struct perf_registers {
	uint64_t abi;		/* PERF_SAMPLE_REGS_ABI_*; 0: none were taken */
	uint64_t mask;		/* which registers: PERF_REG_* of the architecture, a bit each */
	const uint64_t *values; /* one for each bit of the mask, lowest first */
	size_t count;
};

struct perf_stack_dump {
	const uint8_t *bytes; /* from the user stack pointer upwards, in the writer's byte order */
	size_t size;	      /* bytes that could be copied; 0: none */
};

/* Fields that the format lacks are 0. */
struct perf_sample {
	uint64_t ip;
	uint64_t addr;
	uint64_t period;
	const uint64_t *chain; /* innermost first, with PERF_CONTEXT_* marks */
	size_t chain_length;
	const void *raw;
	size_t raw_size; /* as the kernel has it: padded to a multiple of 8, less 4 */
	struct perf_branches branches;
	struct perf_read read;
	struct perf_registers user, interrupted;
	struct perf_stack_dump stack;
	uint64_t weight; /* PERF_SAMPLE_WEIGHT or, packed, _WEIGHT_STRUCT */
	uint64_t data_src;
	uint64_t transaction;
	uint64_t phys_addr;
	uint64_t cgroup; /* id: the inode of its folder */
	uint64_t data_page_size, code_page_size;
	/* For samples from struct sampler, whose chain is only the kernel's part. */
	struct user_stack user_stack;
	/* On whose behalf the kernel ran; CONTEXT_COUNT: unknown. */
	enum context context;
};

struct perf_record;

/* Reads the record's bytes after the header into record->sample and the record's id, task, time and
 * CPU. Marks @body bad if they are too short for the sample. Private to perf_record.c. */
void perf_sample_read(struct reader *body, const struct perf_format *format,
		      struct perf_record *record);

/*
 * The counts of their event or group that samples carry (PERF_SAMPLE_READ, perf's ":S"). Members of
 * a group have no samples of their own: each sample of the leader has the current counts of all. A
 * member's weight is what it counted since its last sample, as in perf
 * (linux:tools/perf/util/session.c, deliver_sample_value).
 */
enum { PERF_READS_MAX = 1 << 20 }; /* counters that can be followed */

/* The last known value of a counter. */
struct perf_reads_last {
	uint64_t id;
	uint64_t value;
	int32_t tid;
};

/* Zero-initialised is empty. */
struct perf_reads {
	VEC(struct perf_reads_last) list;
	struct hashidx index; /* of list, by id and thread */
};

void perf_reads_done(struct perf_reads *reads);

/* The id and the current value of the sample's counter @member, from 0. False if there is no such
 * member, or ids were not recorded. */
bool perf_reads_member(const struct perf_read *read, size_t member, uint64_t *ret_id,
		       uint64_t *ret_value);

/* What the counter counted since the last call for it, or since its start on the first call. @tid:
 * the thread, if the id stands for inherited counters of several threads; else 0. False if there
 * are more than PERF_READS_MAX counters. */
bool perf_reads_since(struct perf_reads *reads, uint64_t id, int32_t tid, uint64_t value,
		      uint64_t *ret_count);

/* Converts a sample's registers for the unwinder. @machine: EM_X86_64 or EM_AARCH64, with the
 * register numbers of its <asm/perf_regs.h> (enum perf_event_x86_regs and the like). False if the
 * sample has no registers of a 64-bit task of that machine, or lacks pc or sp. */
bool perf_registers_for_unwinding(const struct perf_registers *registers, uint16_t machine,
				  struct unwind_registers *ret_registers);
/* The sample_regs_user mask of all registers that unwinding uses; 0 for another machine. */
uint64_t perf_registers_mask(uint16_t machine);
/* The index of the stack pointer in unwind_registers. */
unsigned perf_registers_sp(uint16_t machine);

#endif
