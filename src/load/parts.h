/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profiles that a view is made of: one file; or a history, which is the files of a folder whose
 * names end in ".prof". Those with samples of the chosen time are merged in memory (model/merge.h). A
 * file of a folder that cannot be read is left out, and the profile says so (run_facts.not_visible).
 *
 * The functions are those of store.h, for all parts together.
 */
#ifndef LOAD_PARTS_H
#define LOAD_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "load/selection.h"
#include "store/store.h"

struct parts;

/* True if @path is a folder with such a file. */
bool parts_is_folder(const char *path);

/* Errors as store_open; -ENOENT: a folder without a profile. */
int parts_open(const char *path, struct parts **ret_parts, struct err *err);
void parts_close(struct parts *parts); /* NULL is fine */
/* Finds @window, and chooses the files of a folder that may have samples of it. Call it before the
 * functions below. Its clock is CLOCK_REALTIME, ns since 1970, until parts_load_profile. Does nothing
 * with a single file. Errors as selection_window_find; -ENODATA also if no file has such samples. */
int parts_choose(struct parts *parts, struct selection_window *window, struct err *err);
int parts_has_command(const struct parts *parts, bool *ret_has, struct err *err);
/* The caller owns the profile. Finds @window by the clock of its samples. Call it before the functions
 * below. */
int parts_load_profile(struct parts *parts, struct selection_window *window,
		       struct profile **ret_profile, struct err *err);
/* What moments of the profile are relative to. */
struct moment_base parts_base(struct parts *parts, const struct profile *profile);
/* All totals and, of a folder with a window, those of the files that lie in it as a whole. Call it once.
 * The caller frees the rows of both, also after an error. */
int parts_load_totals(struct parts *parts, struct totals *ret_totals, struct totals *ret_whole,
		      struct err *err);
/* The end by the clock of samples, also of a profile that did not finish. */
uint64_t parts_end_ns(const struct parts *parts, const struct profile *profile);
/* A file of a folder, and the window by the clock of its samples. */
struct part_file {
	const char *path; /* borrowed */
	uint64_t start_real_ns, from_ns, to_ns;
};
/* The chosen files of a folder, from 0, after parts_choose. False: there are no more. */
bool parts_file(const struct parts *parts, const struct selection_window *window, size_t number,
		struct part_file *ret_file);
/* The folder, borrowed, and how many of its profiles were chosen; NULL: a single file. */
const char *parts_folder(const struct parts *parts, size_t *ret_count);
/* True if one of them is being recorded. */
bool parts_is_live(const struct parts *parts);
/* @without_whole: leaves out the files that lie in the window as a whole. */
int parts_each_batch(const struct parts *parts, const struct sample_wish *wish, bool without_whole,
		     int (*visit)(void *context, const struct sample *samples, size_t count),
		     void *context, struct err *err);
int parts_each_branch(const struct parts *parts,
		      void (*visit)(void *context, const struct branch *branch), void *context,
		      struct err *err);

#endif
