/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks a thread's stack from its registers and a copy of its memory, with the same step as the
 * BPF program (bpf/unwind_step.h): for samples of programs whose rows the kernel side did not have
 * yet, for machines without BPF, and for recordings of perf.
 */
#ifndef UNWIND_UNWINDER_H
#define UNWIND_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/stack_wire.h"
#include "bpf/unwind_rows.h"
#include "model/words.h"

/* What an address is in. */
struct unwind_code {
	bool mapped;			  /* executable memory at all */
	const struct unwind_table *table; /* NULL: none, frame pointers are tried */
	uint64_t bias;			  /* address - bias is the ELF virtual address */
	bool entry; /* the code at which executable or interpreter starts (_start): the end, rows or
		       not */
};

struct unwind_input {
	uint16_t machine; /* EM_X86_64, EM_AARCH64 */
	const struct unwind_registers *registers;
	uint64_t stack_address; /* where the copy was taken from */
	const void *stack;	/* borrowed */
	size_t stack_size;
	bool stack_cut; /* the copy stops before the stack does */
	/* What is at an address, as of now. */
	struct unwind_code (*find)(void *context, uint64_t address);
	/* Reads instructions that have no rows: 0, or negative when they are not to be had. NULL:
	 * they never are. */
	int (*read_code)(void *context, uint64_t address, void *to, size_t size);
	void *context;
};

/* Writes at most @max addresses, innermost first, into @addresses: the first is the pc itself, the
 * others are return addresses but for those with UNWIND_EXACT or-ed in, which a signal interrupted
 * there. Returns how many; *ret_end says why it stopped. */
size_t unwinder_walk(const struct unwind_input *input, uint64_t *addresses, size_t max,
		     enum stack_end *ret_end);

/* How far the code at a program's entry point reaches, ELF virtual addresses: up to what has rows
 * again. 0 where the entry has a row of its own, which says then what it is. @table: of the
 * executable or the interpreter; NULL: it has none, and so much is taken as no more can be it. */
uint64_t unwinder_entry_end(const struct unwind_table *table, uint64_t entry);

#endif
