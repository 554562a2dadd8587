/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of x86-64 code that no frame description covers: .init and .fini, what the compiler's crt
 * files bring along, procedure linkage tables of linkers that do not describe them, the end of
 * clone(2) in C libraries, functions written in assembler, programs compiled without tables.
 *
 * Instructions are followed from where a function may begin, with what lies on the stack. A
 * function is believed only if all that is reached agrees: each instruction has one depth, however
 * it is come to; the stack is never above the return address, and is at it where the function
 * returns; and it returns at all. What sets rsp in another way than functions do makes it unknown.
 * So code is left without rows rather than given wrong ones.
 */
#ifndef UNWIND_CODE_ROWS_H
#define UNWIND_CODE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/unwind_rows.h"

/* More code than that in one piece is left alone: code that was generated follows rules of its own.
 */
enum { CODE_ROWS_MOST = 128 * 1024 };

/* Code between two descriptions, or before the first or behind the last of a section. */
struct code_gap {
	const uint8_t *bytes; /* borrowed */
	size_t size;
	uint64_t address; /* ELF virtual address */
	int linkage;	  /* it is of a procedure linkage table: entries need not return */
};

/* From @address on @rule is in force; NULL: none. */
typedef void code_rows_add(void *context, uint64_t address, const struct unwind_rule *rule);

/* Calls @add in ascending order of addresses; nothing is in force before the first. */
void code_rows_find(const struct code_gap *gap, code_rows_add *add, void *context);

#endif
