/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile that was opened for looking at: its rows, how they are called, and which of its samples
 * are wanted. What every view begins with. */
#ifndef LOAD_OPENED_H
#define LOAD_OPENED_H

#include "aggregate/select.h"
#include "archive/unpacked.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "load/frame_lines.h"
#include "load/inlines.h"
#include "load/opened_window.h"
#include "load/selection.h"
#include "present/view.h"
#include "store/store.h"

/* How functions are called, and which there are. Texts are borrowed; zeroes: as usual. */
struct opened_names {
	const char *demangle; /* "none", "normal", "smart"; NULL: normal */
	bool inlines;	      /* inlined functions count as functions, see load/inlines.h */
	const char *kallsyms; /* see place/kernel/kernel_names.h; NULL: none */
	struct line_options lines;
};

/* Zero-initialised is empty. To be looked at only. */
struct opened {
	struct unpacked *unpacked; /* NULL: it was no archive */
	struct store_reader *store;
	struct profile *profile;
	struct totals totals;
	struct labels labels;
	struct completeness completeness;
	struct select *select;
	struct buf selection; /* the clauses as typed */
	uint64_t selected;    /* samples, once they were gone through */
	struct opened_window window;
	uint64_t slice_ns; /* of the key time */
	struct opened_names names;
	struct demangler *demangler;
	VEC(struct user_name) users;
	struct image_readers *readers; /* of the files that the profile names */
	struct frame_lines *lines;     /* opens files when a line is asked for first */
	struct inlines inlines;	       /* where stacks went, if inlined functions count */
};

/* Is there a profile, or an archive, at this path? */
bool opened_is_profile(const char *path);

/* What is looked at; nothing of it looks at a profile. Texts are borrowed. -EINVAL and one line. */
int opened_choose(struct opened *opened, const struct selection *selection, struct err *err);
/* How functions are called; @names is copied. Before opened_load; -EINVAL, also for folders that
 * are not there. */
int opened_name(struct opened *opened, const struct opened_names *names, struct err *err);
/* After opened_choose. @path: a profile, or an archive of one, whose files are then those that are
 * looked at unless names.lines.symfs says others. Errors as store_open and unpacked_open; -ENODATA
 * when the time that was chosen is none of the recording's. */
int opened_load(struct opened *opened, const char *path, struct err *err);
/* The two halves of it, for whoever has several that need not all be in memory: opens the file; and
 * loads what was opened. */
int opened_open(struct opened *opened, const char *path, struct err *err);
int opened_read(struct opened *opened, struct err *err);
/* When samples were gone through, and names are not needed any more: the profile keeps the facts of
 * its run and its events, and the view has nothing to show. */
void opened_forget(struct opened *opened);
/* Parts of that: when samples were gone through and the view was told; and when trees were made of
 * stacks. Names stay. */
void opened_forget_samples(struct opened *opened);
void opened_forget_stacks(struct opened *opened);
/* Calls @take with what was selected, several at a time, borrowed for the call: totals, or single
 * samples where time or CPU is wanted, or the selection looks at them. @fields (enum sample_field):
 * what @take looks at besides events; samples that are alike in these may come as one, and other
 * fields hold anything. Of the time only the slice it is in can be told. -ENODATA when nothing was
 * selected (says what left nothing), else errors of reading. */
int opened_visit(struct opened *opened, unsigned fields,
		 void (*take)(void *context, const struct point *points, size_t count),
		 void *context, struct err *err);
/* The same with the very time of each sample. */
int opened_visit_times(struct opened *opened, unsigned fields,
		       void (*take)(void *context, const struct point *points, size_t count),
		       void *context, struct err *err);
/* The same one by one with all fields; with @samples each has its own time and CPU. */
int opened_each(struct opened *opened, bool samples,
		void (*take)(void *context, const struct point *point), void *context,
		struct err *err);
/* Will opened_visit with @fields give totals, each once, rather than samples? */
bool opened_gives_totals(const struct opened *opened, unsigned fields);
/* What is to be said of the profile and the selection; the rest is empty. Borrows from @opened. */
struct view opened_view(const struct opened *opened);
/* From when to when of the samples' clock the profile is looked at. */
void opened_span(const struct opened *opened, uint64_t *ret_from_ns, uint64_t *ret_to_ns);
/* Where source files are looked for beside the places that were said; NULL: nowhere. Borrowed. */
const char *opened_sources(const struct opened *opened);
void opened_done(struct opened *opened);

/* Everything of the view was printed: did it arrive? A reader that went away is nobody's failure:
 * nobody is left to be told. */
int opened_end(FILE *out, struct err *err);

#endif
