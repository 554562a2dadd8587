/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel and the files in which functions are found; each is opened once, when named. */
#ifndef WATCH_TARGETS_WATCH_SOURCES_H
#define WATCH_TARGETS_WATCH_SOURCES_H

#include "base/cleanup.h"
#include "base/err.h"
#include "watch/targets/watch_files.h"
#include "watch/targets/watch_match.h"
#include "watch/targets/watch_targets.h"
#include "watch/targets/watch_word.h"

struct watch_sources;

/* For the pid, command, module, lines and foreign of @options, whose texts are borrowed. Opens
 * nothing yet. */
struct watch_sources *watch_sources_new(const struct watch_target_options *options);
void watch_sources_free(struct watch_sources *sources); /* NULL is fine */
DEFINE_CLEANUP(struct watch_sources *, watch_sources_free);

struct demangler *watch_sources_demangler(const struct watch_sources *sources);
struct foreign *watch_sources_foreign(const struct watch_sources *sources);
/* Borrowed. Negative errno with the reason. */
int watch_sources_kernel(struct watch_sources *sources, struct watch_kernel **ret_kernel,
			 struct err *err);
int watch_sources_file(struct watch_sources *sources, const char *name,
		       struct watch_image **ret_image, struct err *err);
/* The program of the process or the command. -ENOENT: there is neither. */
int watch_sources_program(struct watch_sources *sources, struct watch_image **ret_image,
			  struct err *err);

/* By path; messages call it @shown. */
int watch_sources_open(struct watch_sources *sources, const char *path, const char *shown,
		       struct watch_image **ret_image, struct err *err);

/* Appends all functions that the word matches, at least one; an address matches the function around
 * it. -ENOENT: no match, with similar names, or where it was inlined; -ENOTUNIQ: both the kernel
 * and the program have it. */
int watch_sources_find(struct watch_sources *sources, const struct watch_word *word,
		       struct watch_matches *matches, struct err *err);

/* Appends a function's label: "NAME", "FILE:NAME", "MODULE:NAME"; @whole: with parameters. */
void watch_sources_label(const struct watch_sources *sources,
			 const struct watch_candidate *candidate, bool whole, struct buf *label);

/* Its return type, from kernel types or debug information. */
struct probe_return watch_sources_returns(struct watch_sources *sources,
					  const struct watch_candidate *candidate);

/* Disassembles a function. @blocks is zero-initialised. */
int watch_sources_code(struct watch_sources *sources, const struct watch_candidate *candidate,
		       struct code_blocks *blocks, struct err *err);

#endif
