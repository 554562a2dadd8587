/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instruction at a frame's address, as objdump prints it: from the mapped file, the vdso, the
 * running kernel or its vmlinux. If there is none, a few words say why. Nothing is opened or loaded
 * before the first query.
 *
 * One query answers for all frames in the same function, because one listing covers them.
 */
#ifndef CODE_INSTRUCTIONS_H
#define CODE_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "code/code_listing.h"
#include "model/profile.h"
#include "place/files/image_readers.h"

struct instructions;

struct instructions_options {
	size_t max_images;	/* held open at once; 0: DISASSEMBLER_IMAGES */
	const char *vmlinux;	/* -L: for kernel code that cannot be read live; NULL: none */
	struct door_root symfs; /* files are below it, if it has a path */
	const struct image_readers *readers; /* must be allowed to read them; NULL: ourselves */
	bool intel;			     /* x86 code in Intel syntax */
};

/* @profile is borrowed. Fails only if the vmlinux is not the one of the profile's kernel. */
int instructions_new(const struct profile *profile, const struct instructions_options *options,
		     struct instructions **ret_instructions, struct err *err);
void instructions_free(struct instructions *instructions); /* NULL is fine */
DEFINE_CLEANUP(struct instructions *, instructions_free);

/* Answers for many frames, in an order that opens each image once. */
void instructions_prepare(struct instructions *instructions, const uint32_t *frames, size_t count);

/* Appends the instruction at the address of a frame of the profile. False: the appended text is in
 * parentheses and says why there is none, e.g. "(no code: the file was replaced)". @context is the
 * struct instructions. */
bool instructions_text(void *context, uint32_t frame, struct buf *text);

/* Visits all instructions of a frame's function that begin in [start, end), in order. Addresses are
 * those of frames; adding *ret_shift gives those in operands. @start 0: the function's start.
 * Errors: a negative errno and a few words that complete "no code: ...". */
struct instructions_range {
	uint32_t frame;
	uint64_t start, end;
};
int instructions_each(struct instructions *instructions, const struct instructions_range *range,
		      code_visit visit, void *context, uint64_t *ret_shift, struct err *err);

/* One sentence on kinds of code that could not be shown so far: why, and how to fix it. NULL: none.
 * Borrowed from @context, the struct instructions. */
const char *instructions_note(void *context);

#endif
