/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes PERF_RECORD_SAMPLE with every field of perf_event_open(2), in the kernel's order.
 * Pointers borrow from the record's bytes, or in the other byte order from the format's swap_room.
 */
#ifndef PERF_PERF_SAMPLE_H
#define PERF_PERF_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/reader.h"
#include "perf/perf_format.h"
#include "perf/user_stack.h"

struct perf_branch {
	uint64_t from, to;
	uint64_t flags; /* the bit field of struct perf_branch_entry, in the writer's bit order */
};

struct perf_branches {
	const struct perf_branch *items; /* youngest first */
	size_t count;
};

/* Counts of the event (one member) or of all members of its group; see perf_reads.h. */
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

#endif
