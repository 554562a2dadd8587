/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program or library whose functions are looked for by name: its symbols, its code, its lines,
 * each read when it is asked for.
 */
#ifndef WATCH_TARGETS_WATCH_IMAGE_H
#define WATCH_TARGETS_WATCH_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "code/code_blocks.h"
#include "foreign/door.h"
#include "model/probe.h"
#include "names/debug_files/debug_files.h"
#include "names/function_list.h"
#include "names/lines/line_file.h"
#include "names/spelling/demangler.h"

struct watch_image;

/* What the images of one watch share; all borrowed. */
struct watch_image_tools {
	struct debug_files *debug_files;
	struct demangler *demangler;
	struct cache_folder *cache; /* of lines; NULL: none */
	struct foreign *foreign;    /* as in struct watch_view_of */
};

/* Opens the file at @path; @shown is how it is called in what people read. Both are copied.
 * Negative errno with the reason: no such file, no ELF file. */
int watch_image_open(const char *path, const char *shown, const struct watch_image_tools *tools,
		     struct watch_image **ret_image, struct err *err);
void watch_image_free(struct watch_image *image); /* NULL is fine */
DEFINE_CLEANUP(struct watch_image *, watch_image_free);

const char *watch_image_path(const struct watch_image *image);
const char *watch_image_shown(const struct watch_image *image);
/* Which file it is. Borrowed. */
const struct door_file *watch_image_file(const struct watch_image *image);
/* Borrowed. */
const struct elf_file *watch_image_elf(const struct watch_image *image);
const struct function_list *watch_image_functions(const struct watch_image *image);
/* Borrowed; made on first use. */
struct line_file *watch_image_lines(struct watch_image *image);

/* What the function returns that begins at an ELF address, if debug information tells. */
struct probe_return watch_image_returns(struct watch_image *image, uint64_t address);

/* The file offset of an ELF address in code. False: there is no code. */
bool watch_image_offset(const struct watch_image *image, uint64_t address, uint64_t *ret_offset);

/* Disassembles [start, end). @blocks is zero-initialised; blocks are found. */
int watch_image_code(struct watch_image *image, uint64_t start, uint64_t end,
		     struct code_blocks *blocks, struct err *err);

/* Where entries of a function are counted, an ELF address: its first instruction, but for functions
 * of Go that begin anew when their stack has grown (go_entry.h). */
uint64_t watch_image_entry(struct watch_image *image, const struct listed_function *function);

/* Appends where calls of a function end, as offsets in the file. Returns whether these are all:
 * none if it never returns. *ret_loops: the function's first instruction is also that of a loop. */
bool watch_image_exits(struct watch_image *image, const struct listed_function *function,
		       struct code_ends *ret_offsets, bool *ret_loops);

/* Can a call return to this ELF address: does the instruction before it end there, and another one
 * begin? */
bool watch_image_may_return_to(struct watch_image *image, uint64_t address);

#endif
