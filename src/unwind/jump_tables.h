/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jumps through tables in x86-64 code: where the cases of a switch are. Compilers make tables of
 * distances
 *
 *     lea TABLE(%rip),%r; movslq (%r,INDEX,4),%s; add %r,%s; jmp *%s
 *
 * or of addresses, with "jmp *TABLE(,INDEX,8)" or a load of the entry before it. How many entries a
 * table has is not read from the code: it ends where something else begins that code refers to, or
 * with the first entry that leads nowhere.
 */
#ifndef UNWIND_JUMP_TABLES_H
#define UNWIND_JUMP_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "bpf/x86_code.h"

enum { JUMP_TABLES_MAX_CASES = 1024 }; /* of a jump; later ones are left out */

struct jump_tables;

/* Reads at most @size bytes of the file's data at an ELF virtual address. Returns how many. */
typedef size_t (*jump_tables_read)(void *context, uint64_t address, void *bytes, size_t size);

struct jump_tables *jump_tables_new(jump_tables_read read, void *context);
void jump_tables_free(struct jump_tables *tables); /* NULL is fine */
DEFINE_CLEANUP(struct jump_tables *, jump_tables_free);

/* Takes the instruction at @address, one after the other in ascending order. */
void jump_tables_add(struct jump_tables *tables, const struct x86_code *code, uint64_t address);
/* After all code was added. */
void jump_tables_finish(struct jump_tables *tables);

/* Where the jump at @address leads to, at most JUMP_TABLES_MAX_CASES addresses in [@low, @high).
 * Returns their number; 0: the jump was added with no table. */
size_t jump_tables_cases(const struct jump_tables *tables, uint64_t address, uint64_t low,
			 uint64_t high, uint64_t *ret_cases);

#endif
