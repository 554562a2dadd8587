/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files instructions*.c share. Private to them. */
#ifndef CODE_INSTRUCTIONS_PARTS_H
#define CODE_INSTRUCTIONS_PARTS_H

#include "code/disassembler.h"
#include "code/instructions.h"
#include "code/kernel_code.h"

/* What is known of a frame. */
struct instructions_answer {
	uint32_t place; /* in instructions.order */
	bool known, good;
	size_t text; /* offset into instructions.texts; NUL-terminated */
};

struct instructions {
	const struct profile *profile;
	struct door_root symfs;
	const struct image_readers *readers;
	struct disassembler *disassembler;
	struct instructions_answer *answers; /* by frame */
	uint32_t *order;		     /* all frames by image, symbol, address */
	size_t count;
	struct buf texts;
	int fd;		/* the file opened last, borrowed by the disassembler; -1: none */
	int vmlinux_fd; /* -1: none */
	uint64_t vmlinux_shift;
	uint32_t kernel; /* image; 0: none */
	bool kernel_tried;
	struct kernel_code *kernel_code; /* NULL: not tried, or not to be had */
	const char *kernel_reason;	 /* why not, in a few words */
	struct err note;
};

/* The frames of one function, [at, end) of instructions.order, being told in order of address. */
struct instructions_group {
	struct instructions *instructions;
	const struct symbol *symbol;
	enum image_kind kind;
	uint32_t image;
	size_t at, end;
	uint64_t shift; /* a line's address is the frame's plus this */
};

/* Where the code of an image is listed from. */
enum instructions_way { INSTRUCTIONS_OF_NOTHING, INSTRUCTIONS_OF_IMAGE, INSTRUCTIONS_OF_KERNEL };

enum instructions_way instructions_way_to(enum image_kind kind);
/* Says why an image of INSTRUCTIONS_OF_NOTHING has no code. Returns a negative errno. */
int instructions_no_code(struct instructions_group *group, struct err *err);
/* All frames of the function that has the frame. */
struct instructions_group instructions_group_of(struct instructions *instructions, uint32_t frame);
/* Where to begin decoding an image for the frame that the group is at. Negative errno: it cannot be
 * opened, or the address is in no code. */
int instructions_start(const struct instructions_group *group, uint64_t *ret_start,
		       struct err *err);

/* ---- instructions_files.c: where code is read from ---- */

/* Opens an image for the disassembler, whose context is the struct instructions; the descriptor is
 * borrowed until the next one. */
int instructions_files_open(void *context, uint32_t image, struct err *err);
/* Opens a vmlinux. Fails if it is not that of the profile's kernel. */
int instructions_files_open_vmlinux(struct instructions *instructions, const char *path,
				    struct err *err);
/* Opens the running kernel's memory, once. Negative errno: it is not to be had; @err says why the
 * first time, instructions->kernel_reason in a few words each time. */
int instructions_files_open_kernel(struct instructions *instructions, struct err *err);
/* Has the running kernel's code, @shift above the frame's address, been changed since the frame's
 * was kept? Notes it, then. */
bool instructions_files_is_changed(struct instructions *instructions, uint32_t frame,
				   uint64_t shift);
/* Closes all of these. */
void instructions_files_close(struct instructions *instructions);

#endif
