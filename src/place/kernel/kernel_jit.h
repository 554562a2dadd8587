/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's JIT code that exists now: BPF programs and trampolines, ftrace's trampolines, copies
 * of probed instructions. /proc/kallsyms has only names and starts of it, and classic filters
 * (seccomp) lie between them without names; bpf(2) has the sizes of programs.
 */
#ifndef PLACE_KERNEL_KERNEL_JIT_H
#define PLACE_KERNEL_KERNEL_JIT_H

#include "model/address_space.h"
#include "place/kernel/kallsyms.h"
#include "place/kernel/kernel_table.h"

struct kernel_jit {
	struct kernel_tables *tables;	     /* borrowed */
	VEC(struct mapping) list;	     /* current pieces */
	VEC(struct kernel_jit_start) starts; /* listed by kallsyms, before kernel_jit_take_listed */
};

struct kernel_jit_start {
	uint64_t address, size; /* size 0: not known */
	char *name;
	bool whole_pages; /* nothing else lies on its last page */
};

/* A piece appeared; it replaces what was there before. */
void kernel_jit_add(struct kernel_jit *jit, uint64_t start, uint64_t size, const char *name,
		    enum kernel_rank rank);
/* Removes all pieces that overlap the range. */
void kernel_jit_remove(struct kernel_jit *jit, uint64_t start, uint64_t size);
/* Takes a line of kallsyms if it names such code, and returns true. */
bool kernel_jit_list(struct kernel_jit *jit, const struct kallsyms_line *line);
/* Adds the listed pieces, with their sizes where the kernel reports them. */
void kernel_jit_take_listed(struct kernel_jit *jit);
void kernel_jit_done(struct kernel_jit *jit);

#endif
