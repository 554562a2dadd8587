/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user part of a sample's stack, in whatever form the kernel side could give it:
 *
 *   NONE       none: a kernel thread (end COMPLETE), or why it is not to be had (GONE, LOST,
 *              UNKNOWN)
 *   KNOWN      the whole stack, kernel and user part, is that of an earlier sample of the same hash
 *   ADDRESSES  walked in the interrupt
 *   DUMP       registers and a piece of the stack, for unwinder_walk
 *   CALLCHAIN  the kernel's walk along frame pointers (end FRAME_POINTERS)
 *
 * In `addresses` the innermost is the pc itself, the others are return addresses but for those with
 * UNWIND_EXACT or-ed in.
 */
#ifndef PERF_USER_STACK_H
#define PERF_USER_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/stack_wire.h"
#include "model/words.h"

enum user_stack_form {
	USER_STACK_NONE,
	USER_STACK_KNOWN,
	USER_STACK_ADDRESSES,
	USER_STACK_DUMP,
	USER_STACK_CALLCHAIN,
};

/* All pointers are borrowed like the record's. */
struct user_stack {
	enum user_stack_form form;
	enum stack_end end; /* of a DUMP: why the interrupt could not walk it; of KNOWN: nothing */
	/* Samples of one hash have one stack, kernel part included; 0: nothing is said. A consumer
	 * keeps what it made of it, and finds it again when the form is KNOWN. */
	uint64_t hash;
	uint64_t space;	     /* the address space, for stack_tables_set_space; 0: unknown */
	uint64_t generation; /* of the table the interrupt had; 0: none */
	/* ADDRESSES, CALLCHAIN: the stack. DUMP: as far as the interrupt came, or all of it (end
	 * COMPLETE) where SAMPLER_VERIFY asked for both. */
	const uint64_t *addresses;
	size_t count;
	/* DUMP */
	const struct unwind_registers *registers;
	uint64_t stack_address;
	const void *stack;
	size_t stack_size;
	bool stack_cut; /* the copy stops before the stack does */
};

#endif
