/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind rows of x86-64 code that has no frame descriptions, from its instructions. The code is
 * followed from where functions start along its jumps, counting what lies between the stack pointer
 * and the return address. A return shows that the count is right: there it must be 0. Code that no
 * known start leads to (functions that are called through pointers, cases of a switch whose table is
 * not found) is taken with what is likely there, and only if that leads to a return, or to code that
 * is known, without a contradiction. What remains has no rows.
 */
#ifndef UNWIND_CODE_ROWS_H
#define UNWIND_CODE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/pause.h"
#include "bpf/unwind_rows.h"
#include "unwind/jump_tables.h"

enum { CODE_ROWS_MAX_BYTES = 64 * 1024 * 1024 }; /* of all ranges; later ones are left out */

struct code_rows;

/* What is known of a frame where code is entered. */
enum code_rows_start {
	CODE_ROWS_FUNCTION,  /* was called: the return address is at the stack pointer */
	CODE_ROWS_OUTERMOST, /* has no caller: entry points, the starts of threads */
};

struct code_rows *code_rows_new(void);
void code_rows_free(struct code_rows *rows); /* NULL is fine */
DEFINE_CLEANUP(struct code_rows *, code_rows_free);

/* How to read the tables of jumps; without it their cases are searched. */
void code_rows_set_data(struct code_rows *rows, jump_tables_read read, void *context);
/* Adds a range of code, in ascending order of addresses. Takes @bytes, from malloc(3). */
void code_rows_add(struct code_rows *rows, uint64_t address, uint8_t *bytes, uint64_t size);
/* Code is entered here; ignored outside all ranges. */
void code_rows_add_start(struct code_rows *rows, uint64_t address, enum code_rows_start start);
/* Follows all code, after everything was added. @pause (NULL: none) is taken several times. */
void code_rows_run(struct code_rows *rows, const struct pause *pause);

/* Receives the rule in force from an address on, in ascending order; all zeroes: none. */
typedef void (*code_rows_row)(void *context, uint64_t address, const struct unwind_rule *rule);

/* Passes on the rows in [start, end), which is in one range. */
void code_rows_tell(const struct code_rows *rows, uint64_t start, uint64_t end, code_rows_row row,
		    void *context);

#endif
