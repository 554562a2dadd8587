/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks a thread's stack from its registers and a copy of its memory, with the same step function
 * as the BPF program (bpf/unwind_step.h). Used when the kernel side has no rows yet for a program,
 * on machines without BPF, and for perf's recordings.
 */
#ifndef UNWIND_UNWINDER_H
#define UNWIND_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/stack_wire.h"
#include "bpf/unwind_rows.h"
#include "model/words.h"

/* What is known about the code at an address. */
struct unwind_code {
	bool mapped;			  /* in executable memory */
	const struct unwind_table *table; /* NULL: none; frame pointers are used */
	uint64_t bias;			  /* ELF virtual address = address - bias */
	bool entry; /* entry code of executable or interpreter (_start): the stack ends here */
};

struct unwind_input {
	uint16_t machine; /* EM_X86_64, EM_AARCH64 */
	const struct unwind_registers *registers;
	uint64_t stack_address; /* where the copy was taken */
	const void *stack;	/* borrowed */
	size_t stack_size;
	bool stack_cut; /* the copy is truncated */
	/* Describes the code at an address, as of now. */
	struct unwind_code (*find)(void *context, uint64_t address);
	/* Reads instructions of code that has no rows: 0, or negative if they cannot be read. NULL:
	 * they never can. */
	int (*read_code)(void *context, uint64_t address, void *to, size_t size);
	void *context;
};

/* Writes up to @max addresses, innermost first, into @addresses. The first is the pc. The others
 * are return addresses, except those with UNWIND_EXACT or-ed in: a signal interrupted the code
 * there, or its handler returns there. Returns their number; *ret_end says why the walk stopped. */
size_t unwinder_walk(const struct unwind_input *input, uint64_t *addresses, size_t max,
		     enum stack_end *ret_end);

/* How far the code at a program's entry point reaches, in ELF virtual addresses: up to the next
 * code that has rows, at most 256 bytes. 0: the entry has a row of its own, which describes it.
 * @table: of the executable or interpreter; NULL: it has none. */
uint64_t unwinder_entry_end(const struct unwind_table *table, uint64_t entry);

#endif
