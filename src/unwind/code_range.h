/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ranges of x86-64 code in order of addresses, and what lies between functions in them. */
#ifndef UNWIND_CODE_RANGE_H
#define UNWIND_CODE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "bpf/x86_code.h"

struct code_range {
	uint64_t address, size;
	uint8_t *bytes;
	/* The owner's notes, by byte: zero at first. */
	uint16_t *states; /* before the instruction that begins there */
	bool *starts;	  /* a function begins there */
};

struct code_ranges {
	VEC(struct code_range) list;
	uint64_t size; /* of all */
};

/* Adds a range, in ascending order of addresses. Takes @bytes, from malloc(3). Nothing is added if all
 * were more than CODE_ROWS_MAX_BYTES. */
void code_ranges_add(struct code_ranges *ranges, uint64_t address, uint8_t *bytes, uint64_t size);
void code_ranges_done(struct code_ranges *ranges);
/* The range with an address; NULL: none. Valid until another one is added. */
const struct code_range *code_ranges_find(const struct code_ranges *ranges, uint64_t address);

/* Decodes what begins at an offset. False: no instruction, or not all of it. */
bool code_range_decode(const struct code_range *range, uint64_t offset, struct x86_code *ret_code);
/* The first instruction from @offset on that is no padding. */
uint64_t code_range_after_padding(const struct code_range *range, uint64_t offset);
/* True for an instruction that functions begin with: it saves a register that calls keep. */
bool code_range_saves(const struct code_range *range, uint64_t offset);
/* True for endbr64, and for "push %rbp; mov %rsp,%rbp". */
bool code_range_begins_function(const struct code_range *range, uint64_t offset);

#endif
