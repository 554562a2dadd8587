/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that the kernel made at run time and that exists now: BPF programs and trampolines, ftrace's
 * trampolines, copies of probed instructions. Private to kernel_symbols.c.
 */
#ifndef PLACE_KERNEL_MADE_CODE_H
#define PLACE_KERNEL_MADE_CODE_H

#include "model/address_space.h"
#include "place/kernel/kallsyms.h"
#include "place/kernel/kernel_images.h"

struct made_code {
	struct kernel_images *images;  /* borrowed */
	VEC(struct mapping) list;      /* current pieces */
	VEC(struct made_start) starts; /* listed by kallsyms, before made_code_take_listed */
};

struct made_start {
	uint64_t address, size; /* size 0: not known */
	char *name;
	bool whole_pages; /* nothing else lies on its last page */
};

/* A piece appeared; it replaces what was there before. */
void made_code_add(struct made_code *made, uint64_t start, uint64_t size, const char *name,
		   enum kernel_rank rank);
/* Removes all pieces that overlap the range. */
void made_code_remove(struct made_code *made, uint64_t start, uint64_t size);
/* Takes a line of kallsyms if it names such code, and returns true. */
bool made_code_list(struct made_code *made, const struct kallsyms_line *line);
/* Adds the listed pieces, with their sizes where the kernel reports them. */
void made_code_take_listed(struct made_code *made);
void made_code_done(struct made_code *made);

#endif
