/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a command does with a profile: each view loads, selects, adds up and prints. Functions of a
 * view are in the file of their prefix.
 *
 * For all of them:
 *   - Texts of options are borrowed. NULL and 0 mean the default that the comment names.
 *   - Percentages are shares of weight within the selection.
 *   - Without --command or --machine the scope (aggregate/scope.h) is the command if the profile, or
 *     each of the profiles compared, has one; but the machine in reports above level 1, and in CSV
 *     and JSON of a single profile.
 *   - NAME_check checks all that does not need a profile: -EINVAL and one line.
 *   - What prints fails with a negative errno and one line, before anything is printed, if the
 *     profile cannot be read or is not one, with -ENODATA if the selection leaves nothing (the line
 *     says which part of it), with -ESRCH if --command is given for a profile without a command, and
 *     with -EINVAL as NAME_check. It also returns errors of writing.
 */
#ifndef VIEWS_VIEWS_H
#define VIEWS_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "dwarf/line_unit.h"
#include "load/opened.h"
#include "load/selection.h"
#include "names/lines/line_service.h"
#include "present/html/page.h"
#include "present/screen.h"

/* ---- list: the profiles that are kept ---- */

struct list_options {
	const char *format; /* "text", "csv", "json"; NULL: text */
	struct screen screen;
};

int list_check(const struct list_options *options, struct err *err);
/* A row for each, the newest first; one that cannot be read has a row that says so. *ret_count:
 * how many there are. */
int list_print(const struct list_options *options, FILE *out, size_t *ret_count, struct err *err);

/* ---- report: tables of samples ---- */

struct report_options {
	int64_t level;		 /* 1 .. 4, see enum view_level */
	double list_percent;	 /* -k: least share of a process to be listed */
	double detail_percent;	 /* -m: least share to show details; below 0: the level decides */
	const char *by;		 /* NULL: the default report, or the default keys of csv and json */
	bool children;		 /* include callees: rows overlap */
	const char *columns_key; /* --columns: see aggregate/tables/pivot.h; NULL: none */
	const char *merge;	 /* --merge: keys to remove from the default ones; NULL: none */
	const char *sort;	 /* see aggregate/tables/order.h; NULL: heaviest first */
	bool reversed;		 /* in reverse order */
	bool accumulated;	 /* with running sums */
	bool global_percent;	 /* shares of the whole profile, not of the selection */
	bool details;		 /* the addresses of each row */
	bool hierarchy;		 /* rows nested by key, each with its sum */
	bool bare;		 /* a table without a head */
	bool quality;		 /* only what says how far the profile can be trusted */
	struct selection selection;
	int64_t limit;	     /* most rows; 0: all */
	double cover;	     /* percent that the rows cover together; 0: all rows */
	double threshold;    /* least share of a row */
	const char *format;  /* "text", "csv", "json"; NULL: text */
	bool instructions;   /* sampled ones; a table then needs the key address */
	int64_t max_images;  /* files held open for instructions; 0: 8 */
	bool intel;	     /* x86 instructions in Intel's syntax */
	const char *vmlinux; /* file of the kernel's code if it cannot be read live */
	struct opened_names names;
	const char *file; /* FILE as typed, for hints of what to type next; NULL: none */
	struct screen screen;
};

int report_check(const struct report_options *options, struct err *err);
/* Calls @tell with a sentence for each contradiction among options that report_check accepts.
 * Returns their number. */
size_t report_contradictions(const struct report_options *options,
			     void (*tell)(void *context, const char *sentence), void *context);
int report_print(const char *path, const struct report_options *options, FILE *out,
		 struct err *err);
/* For help: a line for each key of --by and --select. */
void report_print_keys(FILE *out);

/* ---- qprof: the places of each program, as Qprof printed them ---- */

enum qprof_granularity { QPROF_FUNCTION, QPROF_LINE, QPROF_ADDRESS, QPROF_GRANULARITY_COUNT };

/* "function", "line", "address" or, as Qprof has it, "instruction". QPROF_GRANULARITY_COUNT: none of
 * them. */
enum qprof_granularity qprof_granularity(const char *word);

struct qprof_options {
	enum qprof_granularity granularity;
	bool inclusive; /* each place has the samples of what it called, too */
	const char *
		colour; /* of the bars: "red", "green", "blue" or a number of ECMA-48; NULL: plain */
	struct screen screen; /* its columns, or 0, and whether bars are drawn in colour */
	struct opened_names names;
};

/* For each program "qprof: PROGRAM: N total samples", then a line for each place:
 * "libc.so.6(strlen)  17 ( 49%)". */
int qprof_print(const char *path, const struct qprof_options *options, FILE *out, struct err *err);

/* ---- graph: a tree of callers and callees ---- */

struct graph_options {
	const char *by; /* NULL: function */
	struct selection selection;
	struct opened_names names;
	const char *symbol; /* show its callers and callees; NULL: everything */
	bool inverted;	    /* from the sampled functions to their callers */
	bool flat;	    /* no tree: a table, sorted by own weight */
	bool calls;	    /* no tree: each function with its callers and callees */
	bool dot;	    /* no tree: a picture for Graphviz */
	const char *counts; /* with @calls: a file of exact counts (call_counts.h); NULL: none */
	int64_t limit;	    /* most nodes or rows; 0: all */
	double threshold;   /* least share of a node or row; below 0: 0.5 in text and pictures, of
			     * the symbol's weight if there is one; else 0 */
	int64_t max_depth;  /* deepest level; 0: any */
	const char *format; /* "text", "csv", "json"; NULL: text */
	struct screen screen;
};

int graph_check(const struct graph_options *options, struct err *err);
/* -ENODATA also if no function matches options->symbol. */
int graph_print(const char *path, const struct graph_options *options, FILE *out, struct err *err);

/* ---- page: flame graph, table, heat map, of a profile or of what changed between two ---- */

#define PAGE_KEYS "program,function" /* the default of by */

struct page_options {
	const char *by; /* what a box is; NULL: PAGE_KEYS */
	struct selection selection;
	struct opened_names names;
	const char *title; /* NULL: the profiled command */
	enum page_view view;
	bool inverted;	   /* begin with the sampled functions, callers above */
	double threshold;  /* least share of a box */
	int64_t max_boxes; /* of an event; 0: default */
	double column_s;   /* length of a column of the heat map; 0: fits the recording */
	int64_t rows;	   /* of a column; 0: default */
};

int page_check(const struct page_options *options, struct err *err);
/* Writes the page for all events of the selection; the main one is shown first. -EBADMSG: the
 * profile's samples are not those of its totals. -ENODATA also for PAGE_HEAT if samples have no
 * times. */
int page_write(const char *path, const struct page_options *options, FILE *out, struct err *err);
/* Writes the page for the main event of the profile at @new; the profile at @old must have it too
 * (-ENOMSG). @options must have passed page_check. */
int page_diff_write(const char *old, const char *new, const struct page_options *options, FILE *out,
		    struct err *err);

/* ---- diff: the changes between profiles of two sides ---- */

struct diff_options {
	const char *by;	     /* NULL: symbol,image */
	const char *measure; /* "share", "time", "rate"; NULL: share */
	const char *sort;    /* see diff_view_order_name; NULL: effect */
	struct selection selection;
	uint64_t earlier_ns; /* the old side is of a time so much earlier than the selection's */
	bool exact;	     /* compare names as they are */
	bool all;	     /* also rows within noise */
	int64_t limit;	     /* most rows for each event; 0: all */
	double threshold;    /* least share of a row on either side */
	const char *format;  /* "text", "csv", "json"; NULL: text */
	struct opened_names names;
	const char *const *fail_if; /* see aggregate/diff/condition.h */
	size_t fail_if_count;
	struct screen screen;
};

/* The profiles, at least one for each side. */
struct diff_files {
	const char *const *paths; /* old ones first */
	size_t old_count, new_count;
};

int diff_check(const struct diff_options *options, struct err *err);
/* *ret_failed: a condition of --fail-if holds; @err says which. False on failure, which is also
 * -ENOMSG: no event is in all profiles. */
int diff_print(const struct diff_files *files, const struct diff_options *options, FILE *out,
	       bool *ret_failed, struct err *err);

/* ---- query: rows of an SQL statement ---- */

struct query_options {
	const char *format;    /* text, csv, json; NULL: text */
	const char *demangle;  /* none, normal, smart; NULL: normal */
	int64_t limit;	       /* most rows; 0: all */
	double max_seconds;    /* of a statement; 0: any */
	int64_t max_megabytes; /* of memory; 0: any */
	bool skip_empty;       /* prints nothing if there are no rows */
	struct screen screen;
};

struct query_outcome {
	uint64_t rows; /* printed */
	bool more;     /* there were more than the limit */
	bool is_wrong; /* the SQL itself is wrong */
};

int query_check(const struct query_options *options, struct err *err);
/*
 * Prints the rows of @sql for the profile at @path. Meanwhile SIGINT and SIGTERM end the statement,
 * not the process: -EINTR. Other errors as store_open and query_prepare (store/sql/query.h). Fills
 * @outcome in any case.
 */
int query_print(const char *path, const char *sql, const struct query_options *options, FILE *out,
		struct query_outcome *outcome, struct err *err);
/* Prints the views and their columns. */
int query_list(const struct query_options *options, FILE *out, struct err *err);

/* ---- names: adds names to a profile that the recording could not get ---- */

struct names_options {
	const char *output;   /* the new profile; NULL: replace the old one */
	const char *demangle; /* for listed functions; NULL: normal */
	bool force;	      /* as in struct late_options; the profile notes it */
	bool list;	      /* list the functions found */
	struct line_options lines;
};

struct names_result {
	struct buf text; /* for a person: the result for each image; the caller frees it */
	uint64_t named;	 /* frames that got a name */
	bool written;	 /* a file was written; false: nothing to write */
};

int names_check(const struct names_options *options, struct err *err);
/* Names frames of the profile @input that have no name yet, from files with the same build id, and
 * notes that in its facts. Stacks, samples and totals do not change. The new file is complete
 * before it replaces the old one, whose owner and mode it keeps. With nothing to add, writes only
 * @options->output, if given. -EBUSY: being recorded; -EINVAL: wrong options, or not a profile;
 * else as store_open, store_write_copy and output_file_commit. */
int names_run(const char *input, const struct names_options *options,
	      struct names_result *ret_result, struct err *err);

/* ---- merge: one profile of several ---- */

struct merge_options {
	const char *const *inputs; /* profiles, and folders of them, as typed; in any order */
	size_t input_count;
	const char *since, *until; /* of folders; NULL: from the start, to the end */
	const char *output;	   /* the new profile; NULL: last.prof in the state folder */
};

struct merge_result {
	char path[4096];   /* of the new profile */
	bool kept;	   /* as in struct record_result */
	char note[640];	   /* why not; else "" */
	uint64_t samples;  /* in it */
	size_t profiles;   /* that were merged */
	uint64_t machines; /* on which these were taken, as far as that is known */
};

int merge_check(const struct merge_options *options, struct err *err);
/* Makes a temporary profile of the folder's, as merge_run does, for views that need a single file: the
 * caller removes it. */
int merge_folder(const char *folder, char *ret_path, size_t size, struct err *err);
/* Adds the profiles up (model/merge.h): each view of the new one shows the sum of what it shows of
 * them. They do not change, and one that is being recorded counts as of now. Errors as store_open;
 * -E2BIG: more events than a profile has room for. On failure no file is left. */
int merge_run(const struct merge_options *options, struct merge_result *ret_result,
	      struct err *err);

/* ---- recover: copies what can be read of a damaged profile ---- */

struct recover_result {
	char path[4096];   /* of the new profile */
	uint64_t samples;  /* in it */
	bool complete;	   /* nothing is missing */
	struct buf table;  /* for a person: saved, missing, not verified; the caller frees it */
	struct buf remark; /* lines of further remarks; the caller frees it */
};

/* Writes to @output (NULL: beside @input, a.prof to a.recovered.prof), which must not exist. @input
 * does not change. Under sudo both files are opened with the invoking user's rights; as root only
 * where no other user can change the path (owner_root_alone). Negative errno and one line, and no
 * file is left: -EBUSY: @input is being recorded; -EEXIST; -ENODATA and others as recovery_open. */
int recover_run(const char *input, const char *output, struct recover_result *ret_result,
		struct err *err);

/* ---- archive: a profile with every file needed to view it elsewhere ---- */

/* The files are images, their debug files, and the sources of functions with samples. */
struct archive_options {
	struct line_options lines;	 /* where files and debug files are */
	const char *const *source_paths; /* see source_files.h */
	size_t source_path_count;
};

/* Writes the archive of the profile at @path to @out. Adds to @contents what it has and what is
 * missing; the caller prints that after the archive is complete, for the reader of the output may
 * close it early. The same files make the same bytes. A profile being recorded is packed as of
 * now. */
int archive_write(const char *path, const struct archive_options *options, FILE *out,
		  struct buf *contents, struct err *err);
/* Prints the contents. Names in them are untrusted: characters that could control a terminal are
 * escaped. */
void archive_print_contents(const struct buf *contents, FILE *report);
/* Writes only a list to @out: the size in bytes and the archive name of each file, then the
 * contents as of archive_write. Sizes are the current ones. If @path is an archive itself, lists
 * that. */
int archive_list(const char *path, const struct archive_options *options, FILE *out,
		 struct err *err);

/* ---- symbolize: the code at single addresses, named as in reports ---- */

struct symbolizer;

/* Exactly one of file, pid and kernel is set. */
struct symbolize_options {
	const char *file;     /* ELF virtual addresses, as objdump shows them */
	int64_t pid;	      /* addresses in a running process; 0: not used */
	bool kernel;	      /* addresses in the running kernel */
	bool returns;	      /* return addresses: resolve the call before each */
	const char *demangle; /* "none", "normal", "smart"; NULL: normal */
	struct line_options lines;
};

/* Texts and places are borrowed until the next call. */
struct symbolized {
	const char *image;
	const char *symbol; /* readable; "a->b" between two, "[unknown]" ... */
	uint64_t offset;    /* of the address in the symbol */
	bool has_offset;
	const char *function; /* linker name of the symbol's function in the debug information;
			       * without one, the symbol */
	const struct line_place *places; /* innermost first; the last one is the symbol's */
	size_t place_count;		 /* 0: lines are unknown */
};

/* -ENOENT, -ESRCH, -EACCES ... and one line if the file, process or kernel cannot be read; -EINVAL
 * for wrong options. */
int symbolizer_new(const struct symbolize_options *options, struct symbolizer **ret_symbolizer,
		   struct err *err);
void symbolizer_free(struct symbolizer *symbolizer); /* NULL is fine */
DEFINE_CLEANUP(struct symbolizer *, symbolizer_free);

/* -ENOENT and one line: no code at that address. */
int symbolizer_ask(struct symbolizer *symbolizer, uint64_t address, struct symbolized *ret_answer,
		   struct err *err);
/* The readable form of a function's name, borrowed until the next call. */
const char *symbolizer_name(struct symbolizer *symbolizer, const char *name);
/* Why lines are missing for images that were looked up, one sentence each: the first at or after
 * *index, which moves past it; NULL: no more. */
const char *symbolizer_problem(const struct symbolizer *symbolizer, uint32_t *index);

#endif
