/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One way to name frames: symbol tables of files, the kernel, announcements of JIT code. The
 * resolver asks the sources in the order of SYMBOL_SOURCES, best first, until one answers. To add a
 * source, add a file source_NAME.c that defines `symbol_source_NAME`, and a row here.
 */
#ifndef NAMES_SYMBOL_SOURCE_H
#define NAMES_SYMBOL_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pause.h"
#include "model/profile.h"

struct debug_files;
struct image_files;
struct jit;
struct kernel_symbols;

/* What sources use. All borrowed; they must outlive the sources. */
struct symbol_parts {
	struct profile *profile;	 /* whose frames are named; gets the names */
	struct image_files *files;	 /* NULL: no files are read */
	struct debug_files *debug_files; /* for stripped files; NULL: the usual places here */
	struct kernel_symbols *kernel;	 /* NULL: unknown */
	struct jit *jit;		 /* NULL: programs announce nothing */
	struct pause pause;		 /* taken during long work; may add frames to the profile */
};

enum symbol_answer {
	SYMBOL_PASS,  /* no answer: ask the next source */
	SYMBOL_FOUND, /* the frame has its name for good */
	SYMBOL_LATER, /* no answer yet: ask the next source, and this one again at each run */
};

/* Its functions get the state that `make` returned. */
struct symbol_source {
	const char *name;
	/* Returns NULL if the parts lack what this source needs; it is never asked then. */
	void *(*make)(const struct symbol_parts *parts);
	bool (*answers_for)(void *state, const struct image *image);
	/* Names a frame of an image that the source answers for. May set the frame's address and
	 * the image's state. *changes is the source's own note on the frame, 0 at first and kept
	 * after SYMBOL_LATER. *ret_symbol lacks its image; it is set only with SYMBOL_FOUND. */
	enum symbol_answer (*look_up)(void *state, uint32_t frame, uint64_t *changes,
				      struct symbol *ret_symbol);
	void (*begin)(void *state); /* start of a run; NULL: nothing to do */
	void (*end)(void *state);   /* end of a run; the same */
	void (*free)(void *state);
};

/* A return address is after the call, which may be a function's last instruction, so the place to
 * look up is before it. */
static inline uint64_t symbol_source_place(const struct frame *frame, uint64_t address)
{
	return frame->kind == FRAME_RETURN && address > 0 ? address - 1 : address;
}

/* In order of preference. The placeholder answers for every image. */
#define SYMBOL_SOURCES(X) \
	X(jit)            \
	X(kernel)         \
	X(file)           \
	X(placeholder)

#define SYMBOL_SOURCE_DECLARE(name) extern const struct symbol_source symbol_source_##name;
SYMBOL_SOURCES(SYMBOL_SOURCE_DECLARE)
#undef SYMBOL_SOURCE_DECLARE

#endif
