/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The basic blocks of a function, and where it returns, from its instructions. A block begins at
 * the function's start, at the target of a jump, and after each jump; calls do not end a block. The
 * targets of jumps through a table are not known: a block that only such jumps reach begins after
 * another jump anyway, or is part of the block before it.
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
	size_t first, count; /* indices of steps */
	uint64_t start, end; /* [start, end) */
};

/* Zero-initialised is empty. Add all instructions, then call code_blocks_find. */
struct code_blocks {
	VEC(struct code_step) steps;
	VEC(struct code_block) list; /* by address */
	struct buf texts;
	bool data; /* some of it is not code */
};

/* A code_visit; its context is a struct code_blocks. Instructions come in order. */
bool code_blocks_take(void *context, const struct code_line *line);
const char *code_blocks_text(const struct code_blocks *blocks, const struct code_step *step);
/* Finds the blocks. Blocks that are only padding (nop, int3, data) are left out. */
void code_blocks_find(struct code_blocks *blocks);
/* The step that begins at an address; NULL: none. */
const struct code_step *code_blocks_step(const struct code_blocks *blocks, uint64_t address);
/* The last step that begins at or before an address; NULL: none. */
const struct code_step *code_blocks_before(const struct code_blocks *blocks, uint64_t address);

/* How certain the function's exits are. */
enum code_exits {
	CODE_EXITS_PLAIN,   /* returns only */
	CODE_EXITS_TAIL,    /* also jumps to other functions; these are among the exits */
	CODE_EXITS_UNKNOWN, /* a branch may leave the function, or no exit was found */
};

/* Addresses (uint64_t) of instructions that end a function's part of a call. */
struct code_ends {
	struct buf returns;
	struct buf jumps; /* to other functions */
};

/* Appends what ends a call: returns, and jumps out of [start, end) that do not lead to another part
 * of the function (@is_part; NULL: it has none). */
enum code_exits code_blocks_exits(const struct code_blocks *blocks, uint64_t start, uint64_t end,
				  bool (*is_part)(void *context, uint64_t target), void *context,
				  struct code_ends *ends);
void code_ends_done(struct code_ends *ends);

/* True if the function jumps to its own first instruction: a count there includes more than calls.
 * Not so for Go functions that restart at their first instruction, because their calls are counted
 * after it. */
bool code_blocks_loops_to_start(const struct code_blocks *blocks, uint64_t start);

/* Where each call of a Go function is counted once. The first instructions of a function check
 * whether the stack is too small or the goroutine has been asked to stop. If so, they branch to the
 * end of the function, which calls runtime.morestack and restarts the function. A counter at the
 * first instruction would therefore count one call several times
 * (go:src/cmd/internal/obj/x86/obj6.go, stacksplit).
 *
 * *ret_entry: the address after the check, where the stack pointer and the argument registers are
 * as they were at @start. False: the function, disassembled from its @start, has no check. */
bool code_blocks_go_entry(const struct code_blocks *blocks, uint64_t start, uint64_t *ret_entry);

void code_blocks_done(struct code_blocks *blocks);

#endif
