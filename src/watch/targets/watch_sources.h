/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel and the files in which functions are looked for, each opened once, when it is named.
 */
#ifndef WATCH_TARGETS_WATCH_SOURCES_H
#define WATCH_TARGETS_WATCH_SOURCES_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "names/lines/line_service.h"
#include "watch/targets/watch_files.h"
#include "watch/targets/watch_match.h"
#include "watch/targets/watch_word.h"

struct watch_sources;

struct watch_sources_options {
	struct watch_view_of view;
	const char *module; /* --module; NULL: none */
	struct line_options lines;
};

/* Texts of @options are borrowed. Nothing is opened yet. */
struct watch_sources *watch_sources_new(const struct watch_sources_options *options);
void watch_sources_free(struct watch_sources *sources); /* NULL is fine */
DEFINE_CLEANUP(struct watch_sources *, watch_sources_free);

struct demangler *watch_sources_demangler(const struct watch_sources *sources);
/* As in its view. */
struct foreign *watch_sources_foreign(const struct watch_sources *sources);
/* Borrowed. Negative errno with the reason. */
int watch_sources_kernel(struct watch_sources *sources, struct watch_kernel **ret_kernel,
			 struct err *err);
int watch_sources_file(struct watch_sources *sources, const char *name,
		       struct watch_image **ret_image, struct err *err);
/* The program of the process or the command. -ENOENT: neither is chosen. */
int watch_sources_program(struct watch_sources *sources, struct watch_image **ret_image,
			  struct err *err);

/* By its path; @shown is how it is called. */
int watch_sources_open(struct watch_sources *sources, const char *path, const char *shown,
		       struct watch_image **ret_image, struct err *err);
/* Those that were opened, in order; NULL behind the last. */
struct watch_image *watch_sources_image(const struct watch_sources *sources, size_t index);

/* All functions the word means, at least one; an address is the function it lies in. -ENOENT: none,
 * with what is near, or where it was inlined; -ENOTUNIQ: the kernel and the program both have it.
 */
int watch_sources_find(struct watch_sources *sources, const struct watch_word *word,
		       struct watch_matches *matches, struct err *err);

/* Appends how a function is called in what people read: "NAME", "FILE:NAME", "MODULE:NAME";
 * @whole: with parameters. */
void watch_sources_label(const struct watch_sources *sources,
			 const struct watch_candidate *candidate, bool whole, struct buf *label);

/* What it returns, as the types of the kernel or debug information tell. */
struct probe_return watch_sources_returns(struct watch_sources *sources,
					  const struct watch_candidate *candidate);

/* Disassembles a function. @blocks is zero-initialised. */
int watch_sources_code(struct watch_sources *sources, const struct watch_candidate *candidate,
		       struct code_blocks *blocks, struct err *err);

#endif
