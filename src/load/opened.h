/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile opened for viewing: its rows, their labels, and the selection. Every view starts
 * here. */
#ifndef LOAD_OPENED_H
#define LOAD_OPENED_H

#include "aggregate/scope.h"
#include "aggregate/select.h"
#include "aggregate/tables/table.h"
#include "archive/unpacked.h"
#include "base/err.h"
#include "load/frame_lines.h"
#include "load/parts.h"
#include "load/selection.h"
#include "present/view.h"
#include "store/store.h"

/* Names of functions, and whether inlined ones count. Texts are borrowed; zeroes: defaults. */
struct opened_names {
	const char *demangle; /* "none", "normal", "smart"; NULL: normal */
	bool inlines;	      /* inlined functions count as functions, see inlines_expand */
	bool plain;	      /* no names as section_names_add gives them: places matter */
	const char *kallsyms; /* see kernel_core_name_frames; NULL: none */
	struct line_options lines;
};

/* Empty when zero-initialised. Read only. */
struct opened {
	struct unpacked *unpacked; /* NULL: not an archive */
	struct parts *parts;
	struct profile *profile;
	bool about_command;   /* the profile has a command, see aggregate/scope.h */
	enum scope scope;     /* of the view; settled by opened_open */
	bool scope_is_asked;  /* --command was given */
	struct totals totals; /* those in the scope come first */
	size_t in_scope;      /* their number */
	struct totals whole;  /* of the files of a history that lie in the window as a whole */
	struct labels labels;
	struct completeness completeness;
	struct select *select;
	struct buf selection; /* the clauses as typed */
	uint64_t selected;    /* samples, after a visit */
	struct selection_window window;
	struct scope_parts of_part; /* of the window's samples of the main event, after a visit */
	uint64_t slice_ns;	    /* of the key time */
	struct opened_names names;
	struct demangler *demangler;
	VEC(struct user_name) users;
	struct image_readers *readers; /* of the files that the profile names */
	struct frame_lines *lines;     /* opens files at the first lookup of a line */
	struct inlines inlines;	       /* new stacks, if inlined functions count */
};

/* True if there is a profile, an archive, or a folder of profiles at this path. Here and below "@1" to
 * "@10" are profiles that are kept (store/state_files.h), unless files have these names. */
bool opened_is_profile(const char *path);

/* Sets the selection, without looking at a profile. @scope is used if the selection names none, and
 * the profile has a command. Texts are borrowed. -EINVAL and one line. */
int opened_choose(struct opened *opened, const struct selection *selection, enum scope scope,
		  struct err *err);
/* Sets how functions are named; copies @names. Call it before opened_load. -EINVAL, also for
 * missing folders. */
int opened_name(struct opened *opened, const struct opened_names *names, struct err *err);
/* Loads @path, a profile, an archive of one or a folder of profiles; call opened_choose before. The
 * files in an archive are the ones used unless names.lines.symfs says otherwise. Errors as store_open and
 * unpacked_open; -ENODATA if the chosen time is not within the recording; -ESRCH if the selection
 * wants the command and the profile has none, which is a wrong command line. */
int opened_load(struct opened *opened, const char *path, struct err *err);
/* The two halves of opened_load, for callers with several profiles that need not all be in memory:
 * opens the file and finds the scope, which the caller may still widen to the machine; loads it. */
int opened_open(struct opened *opened, const char *path, struct err *err);
int opened_read(struct opened *opened, struct err *err);
/* Call it when neither samples nor names are needed any more. The profile keeps its run's facts and
 * its events; the view has nothing to show. */
void opened_forget(struct opened *opened);
/* Parts of that: when samples were visited and the view was made; when trees were made from stacks.
 * Names stay. */
void opened_forget_samples(struct opened *opened);
void opened_forget_stacks(struct opened *opened);
/* Calls @take for the selection within the scope, several points at a time, borrowed for the call.
 * They are totals, or samples if time or CPU is in @fields or in the selection, or of a part of the
 * time. @fields (enum sample_field): what @take reads besides events. Samples that are alike in these
 * may come as one, and other fields are undefined. Times are exact only to the slice. -ENODATA if nothing was
 * selected (the line says why), else errors of reading. */
int opened_visit(struct opened *opened, unsigned fields,
		 void (*take)(void *context, const struct point *points, size_t count),
		 void *context, struct err *err);
/* The same with other slices than those of the key time. */
#define OPENED_EXACT ((struct sample_slices){ .length_ns = 1 }) /* each time is its own */
int opened_visit_slices(struct opened *opened, unsigned fields, struct sample_slices slices,
			void (*take)(void *context, const struct point *points, size_t count),
			void *context, struct err *err);
/* The same, one point at a time and with all fields; with @samples each with its own time and
 * CPU. */
int opened_each(struct opened *opened, bool samples,
		void (*take)(void *context, const struct point *point), void *context,
		struct err *err);
/* For trees, flame graphs and call graphs: makes the table by children_stack_keys(@keys) of the
 * selection. Errors as opened_visit. The caller frees *ret_stacks, also after an error. */
int opened_stacks(struct opened *opened, const struct key_list *keys, struct table **ret_stacks,
		  struct err *err);
/* After a visit, for views that have nothing to show without samples: -ENODATA if the command has
 * none, but others may have. @verb: what the view does with samples, as "draw". */
int opened_check_command(const struct opened *opened, const char *verb, struct err *err);
/* True if opened_visit with @fields passes totals, each once, and not samples. */
bool opened_gives_totals(const struct opened *opened, unsigned fields);
/* A view of the profile and the selection; other members are empty. Borrows from @opened. */
struct view opened_view(const struct opened *opened);
/* The span of time viewed, by the samples' clock. */
void opened_span(const struct opened *opened, uint64_t *ret_from_ns, uint64_t *ret_to_ns);
/* Where to look for source files besides the options' places; NULL: nowhere. Borrowed. */
const char *opened_sources(const struct opened *opened);
void opened_done(struct opened *opened);

#endif
