/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user part of a sample's stack, in the form that the kernel side could provide:
 *
 *   NONE       no stack: a kernel thread (end COMPLETE), or the reason why it is missing (GONE,
 *              LOST, UNKNOWN)
 *   KNOWN      the whole stack, kernel and user part, equals that of an earlier sample with the
 *              same hash
 *   ADDRESSES  unwound in the interrupt
 *   DUMP       registers and a copy of part of the stack, for unwinder_walk
 *   CALLCHAIN  the kernel's walk along frame pointers (end FRAME_POINTERS)
 *
 * In `addresses` the innermost is the pc itself. The others are return addresses, except those with
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

/* Pointers are borrowed like the record's. */
struct user_stack {
	enum user_stack_form form;
	enum stack_end end; /* DUMP: why the interrupt could not walk it; KNOWN: unset */
	/* Samples with one hash have one stack, kernel part included; 0: no hash. A consumer keeps
	 * its result for a hash, and finds it again when the form is KNOWN. */
	uint64_t hash;
	uint64_t space;	     /* the address space, for stack_tables_set_space; 0: unknown */
	uint64_t generation; /* of the table that the interrupt used; 0: none */
	/* ADDRESSES, CALLCHAIN: the stack. DUMP: as far as the interrupt got, or all of it (end
	 * COMPLETE) if sampler_options.verify_stacks asked for both. */
	const uint64_t *addresses;
	size_t count;
	/* DUMP */
	const struct unwind_registers *registers;
	uint64_t stack_address;
	const void *stack;
	size_t stack_size;
	bool stack_cut; /* the copy ends before the stack does */
};

#endif
