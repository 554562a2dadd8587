/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The basic blocks of a function, and where it returns, from its instructions: a block begins where
 * the function does, where a jump leads, and behind each jump; calls do not end one. Where a jump
 * through a table leads is not known: blocks that only such jumps lead to begin behind another one
 * all the same, or are part of the one before.
 */
#ifndef CODE_CODE_BLOCKS_H
#define CODE_CODE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "code/code_flow.h"
#include "code/code_listing.h"

/* One instruction. */
struct code_step {
	uint64_t address;
	uint32_t length; /* bytes */
	uint32_t text;	 /* code_blocks_text */
	struct code_flow flow;
};

struct code_block {
	size_t first, count; /* of the steps */
	uint64_t start, end; /* [start, end) */
};

/* Zero-initialised is empty. First all instructions are added, then code_blocks_find is called. */
struct code_blocks {
	VEC(struct code_step) steps;
	VEC(struct code_block) list; /* by address */
	struct buf texts;
	bool data; /* some of it was no code */
};

/* A code_visit whose context is a struct code_blocks. Instructions come in order. */
bool code_blocks_take(void *context, const struct code_line *line);
const char *code_blocks_text(const struct code_blocks *blocks, const struct code_step *step);
/* Finds the blocks; those that are nothing but padding (nop, int3, data) are left out. */
void code_blocks_find(struct code_blocks *blocks);
/* The step that begins at an address; NULL: none does. */
const struct code_step *code_blocks_step(const struct code_blocks *blocks, uint64_t address);
/* The last step that begins at or before an address; NULL: none. */
const struct code_step *code_blocks_before(const struct code_blocks *blocks, uint64_t address);

/* How sure it is where the function is left. */
enum code_exits {
	CODE_EXITS_PLAIN,   /* by its returns alone */
	CODE_EXITS_TAIL,    /* by jumps to other functions too, which are among the exits */
	CODE_EXITS_UNKNOWN, /* there is a branch that may leave it, or no exit at all */
};

/* Addresses of instructions that end a function's part in a call: uint64_t. */
struct code_ends {
	struct buf returns;
	struct buf jumps; /* to other functions */
};

/* Appends what ends a call: returns, and jumps beyond [start, end) that do not lead to a part of
 * the function (@is_part; NULL: none is). */
enum code_exits code_blocks_exits(const struct code_blocks *blocks, uint64_t start, uint64_t end,
				  bool (*is_part)(void *context, uint64_t target), void *context,
				  struct code_ends *ends);
void code_ends_done(struct code_ends *ends);

/* Does the function jump to its own first instruction? What is counted there are then not calls
 * alone. Where Go's functions begin anew (go_entry.h) does not matter: entries are counted behind.
 */
bool code_blocks_loops_to_start(const struct code_blocks *blocks, uint64_t start);

void code_blocks_done(struct code_blocks *blocks);

#endif
