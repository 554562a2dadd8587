/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files instructions*.c, and private to them. */
#ifndef CODE_INSTRUCTIONS_PARTS_H
#define CODE_INSTRUCTIONS_PARTS_H

#include "code/disassembler.h"
#include "code/instructions.h"
#include "code/kernel_code.h"

/* What is known about a frame. */
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
	int fd;		/* of the file opened last, borrowed by the disassembler; -1: none */
	int vmlinux_fd; /* -1: none */
	uint64_t vmlinux_shift;
	uint32_t kernel; /* image; 0: none */
	bool kernel_tried;
	struct kernel_code *kernel_code; /* NULL: not tried, or not available */
	const char *kernel_reason;	 /* why not */
	struct err note;
};

/* The frames of one function, [at, end) of instructions.order, by address; `at` is the next to
 * answer. */
struct instructions_group {
	struct instructions *instructions;
	const struct symbol *symbol;
	enum image_kind kind;
	uint32_t image;
	size_t at, end;
	uint64_t shift; /* address of a line minus address of its frame */
};

/* Source of an image's code. */
enum instructions_way { INSTRUCTIONS_OF_NOTHING, INSTRUCTIONS_OF_IMAGE, INSTRUCTIONS_OF_KERNEL };

enum instructions_way instructions_way_to(enum image_kind kind);
/* Explains why an image of INSTRUCTIONS_OF_NOTHING has no code. Returns a negative errno. */
int instructions_no_code(struct instructions_group *group, struct err *err);
/* All frames in the same function as the frame. */
struct instructions_group instructions_group_of(struct instructions *instructions, uint32_t frame);
/* Where to start decoding an image for the group's current frame. Negative errno: the image cannot
 * be opened, or the address is not in code. */
int instructions_start(const struct instructions_group *group, uint64_t *ret_start,
		       struct err *err);

/* ---- instructions_files.c: sources of code ---- */

/* Opens an image for the disassembler, whose context is the struct instructions. The descriptor is
 * borrowed until the next call. */
int instructions_files_open(void *context, uint32_t image, struct err *err);
/* Opens a vmlinux. Fails if it is not the one of the profile's kernel. */
int instructions_files_open_vmlinux(struct instructions *instructions, const char *path,
				    struct err *err);
/* Opens the running kernel's memory, once. Negative errno: not available. @err has the reason the
 * first time, instructions->kernel_reason every time, in a few words. */
int instructions_files_open_kernel(struct instructions *instructions, struct err *err);
/* True if the running kernel's code, @shift above the frame's address, differs from what the
 * recording kept for the frame. Sets the note in that case. */
bool instructions_files_is_changed(struct instructions *instructions, uint32_t frame,
				   uint64_t shift);
/* Closes everything these functions opened. */
void instructions_files_close(struct instructions *instructions);

#endif
