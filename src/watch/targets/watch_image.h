/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program or library in which functions are found by name: its symbols, code and lines, each read
 * on first use.
 */
#ifndef WATCH_TARGETS_WATCH_IMAGE_H
#define WATCH_TARGETS_WATCH_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "code/code_blocks.h"
#include "foreign/door.h"
#include "model/probe.h"
#include "names/debug_files/debug_files.h"
#include "names/function_list.h"
#include "names/lines/line_file.h"

struct watch_image;

/* What the images of one watch share; all borrowed. */
struct watch_image_tools {
	struct debug_files *debug_files;
	struct cache_folder *cache; /* of lines; NULL: none */
	struct foreign *foreign;    /* see struct watch_view_of */
};

/* Opens the file at @path; messages call it @shown. Both are copied. Negative errno with the
 * reason: no such file, or not an ELF file. */
int watch_image_open(const char *path, const char *shown, const struct watch_image_tools *tools,
		     struct watch_image **ret_image, struct err *err);
void watch_image_free(struct watch_image *image); /* NULL is fine */
DEFINE_CLEANUP(struct watch_image *, watch_image_free);

const char *watch_image_path(const struct watch_image *image);
const char *watch_image_shown(const struct watch_image *image);
/* The identity of the file. Borrowed. */
const struct door_file *watch_image_file(const struct watch_image *image);
/* Borrowed. */
const struct elf_file *watch_image_elf(const struct watch_image *image);
const struct function_list *watch_image_functions(const struct watch_image *image);
/* Borrowed; made on first use. */
struct line_file *watch_image_lines(struct watch_image *image);

/* The return type of the function at an ELF address, if debug information has it. */
struct probe_return watch_image_returns(struct watch_image *image, uint64_t address);

/* The file offset of an ELF address in code. False: no code there. */
bool watch_image_offset(const struct watch_image *image, uint64_t address, uint64_t *ret_offset);

/* Disassembles [start, end) and finds the basic blocks. @blocks is zero-initialised. */
int watch_image_code(struct watch_image *image, uint64_t start, uint64_t end,
		     struct code_blocks *blocks, struct err *err);

/* The ELF address at which entries of a function are counted: its first instruction, except in Go
 * functions that start again after their stack has grown. */
uint64_t watch_image_entry(struct watch_image *image, const struct listed_function *function);

/* Appends the file offsets at which calls of a function end. True if these are all of them; a
 * function that never returns has none. *ret_loops: its first instruction also begins a loop. */
bool watch_image_exits(struct watch_image *image, const struct listed_function *function,
		       struct code_ends *ret_offsets, bool *ret_loops);

/* True if a call may return to this ELF address: an instruction ends there and another begins. */
bool watch_image_may_return_to(struct watch_image *image, uint64_t address);

#endif
