/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instruction at a frame's address, as objdump prints it: from the file that was mapped, the
 * vdso, the running kernel or its vmlinux; or in a few words why it cannot be told. Nothing is
 * opened or loaded before the first question.
 *
 * One question answers those of all frames in the same function: they are told by one listing.
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
	size_t max_images;	/* held open at once; 0: 8 */
	const char *vmlinux;	/* -L: for kernel code that is not to be read live; NULL: none */
	struct door_root symfs; /* the files are below it, if it has a path */
	const struct image_readers *readers; /* who must be allowed to read them; NULL: ourselves */
	bool intel;			     /* code of x86 in Intel's syntax */
};

/* @profile is borrowed. Fails only if the vmlinux is not that of the profile's kernel. */
int instructions_new(const struct profile *profile, const struct instructions_options *options,
		     struct instructions **ret_instructions, struct err *err);
void instructions_free(struct instructions *instructions); /* NULL is fine */
DEFINE_CLEANUP(struct instructions *, instructions_free);

/* Finds out about many frames in the order that opens each image once. */
void instructions_prepare(struct instructions *instructions, const uint32_t *frames, size_t count);

/* Appends the instruction at the address of a frame of the profile. False: what is appended is in
 * parentheses and says why there is none, e.g. "(no code: the file was replaced)". @context is the
 * struct instructions. */
bool instructions_text(void *context, uint32_t frame, struct buf *text);

/* Visits all instructions of the function of a frame of the profile that begin in [start, end), in
 * order, with the addresses frames have; *ret_shift has to be added to get those that operands
 * have.
 * @start 0: where the function begins. Negative errno and a few words that complete "no code: ...".
 */
struct instructions_range {
	uint32_t frame;
	uint64_t start, end;
};
int instructions_each(struct instructions *instructions, const struct instructions_range *range,
		      code_visit visit, void *context, uint64_t *ret_shift, struct err *err);

/* One sentence on what whole kind of code cannot be shown, why, and what would mend that; NULL:
 * nothing that was asked for so far. Borrowed from @context, the struct instructions. */
const char *instructions_note(void *context);

#endif
