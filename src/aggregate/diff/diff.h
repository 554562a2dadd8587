/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares two sides of one or more runs each, row by row: what changed, by how much, and how
 * surely. Rows are matched between sides by their texts, see aggregate/diff/rebuilt.h.
 *
 * With one run a side, we find how unevenly samples fall by comparing stretches of the two runs
 * with the same part of all work (aggregate/diff/cells.h). That does not show how much runs differ;
 * several runs do (aggregate/diff/spread.h). See aggregate/diff/change.h.
 */
#ifndef AGGREGATE_DIFF_DIFF_H
#define AGGREGATE_DIFF_DIFF_H

#include "aggregate/diff/cells.h"
#include "aggregate/diff/change.h"
#include "aggregate/diff/rebuilt.h"
#include "aggregate/tables/table.h"

enum diff_measure {
	DIFF_SHARE, /* of the weight of the event within the selection, 0..1 */
	DIFF_TIME,  /* the weight of a run, in the event's unit */
	DIFF_RATE,  /* DIFF_TIME per second of the run's wall time */
	DIFF_MEASURES,
};

enum diff_verdict {
	DIFF_WITHIN_NOISE,
	DIFF_MORE,
	DIFF_LESS,
	DIFF_APPEARED, /* no samples on the old side */
	DIFF_GONE,
	DIFF_VERDICTS,
};

/* "noise", "more" ... as in CSV and JSON. */
const char *diff_verdict_name(enum diff_verdict verdict);
/* "share", "time", "rate". */
const char *diff_measure_name(enum diff_measure measure);

struct diff_event {
	str_id name, unit; /* in diff.strings */
	bool is_time;	   /* the unit is ns */
	bool is_exact;	   /* measured, not sampled */
	bool is_compared;  /* every run has samples of it */
	uint64_t samples[DIFF_SIDES];
	struct change by[DIFF_MEASURES]; /* of the event as a whole; DIFF_SHARE is unused */
	size_t rows, tested, noise;	 /* numbers of rows, before the view cuts any */
	/* A change of diff.measure that would be found in any tested row, 19 times in 20, if no
	 * other row changes; NaN: no row was tested. */
	double detectable;
};

struct diff_row {
	size_t texts; /* index of its first in diff.texts, one for each key */
	uint8_t event;
	uint64_t samples[DIFF_SIDES]; /* of all runs */
	double weight, kernel;	      /* of all runs; the part in kernel mode */
	struct change by[DIFF_MEASURES];
	/* The lowest limit of false discoveries at which this row counts as real; NaN: too few
	 * samples. */
	double q_by[DIFF_MEASURES];
	double q; /* of diff.measure */
	/* Of diff.measure: a change that would be found, as in diff_event; for a probe: if tested
	 * alone. NaN: too few samples. */
	double detectable;
	enum diff_verdict verdict;
};

/* The hits of one question, such as a condition of --fail-if; see diff_add. */
struct diff_probe {
	struct hits hits[PROFILE_MAX_EVENTS];
	uint64_t kernel[PROFILE_MAX_EVENTS]; /* weight in kernel mode */
};

struct diff_run;

/* Read-only for callers. */
struct diff {
	struct key_list keys;
	struct rebuilt_match matches[KEYS_MAX]; /* by key; own the texts */
	struct strpool strings;
	VEC(struct diff_event) events;
	VEC(struct diff_row) rows;   /* after diff_finish: sorted by event, then effect */
	VEC(struct diff_row) probes; /* of main_event; their q is their p */
	VEC(str_id) texts;
	VEC(struct diff_run) runs; /* private */
	size_t run_count[DIFF_SIDES];
	uint8_t main_event;	   /* the first that counts time, else the first */
	enum diff_measure measure; /* by which rows are judged */
	double limit;		   /* of false discoveries */
	bool command_only;	   /* set by the caller: the runs have only the command's samples */
};

/* The probability with which a change of the detectable size is found. */
extern const double diff_found;

/* @exact: compare texts as they are. */
struct diff *diff_new(const struct key_list *keys, bool exact);
void diff_free(struct diff *diff); /* NULL is fine */
DEFINE_CLEANUP(struct diff *, diff_free);

/* The numbers of cells: of the part of @probe that belongs to @event, and of a row of the table
 * after @probe_count probes. */
uint32_t diff_probe_cell(size_t probe, uint8_t event);
uint32_t diff_row_cell(size_t probe_count, size_t row);

/*
 * Adds a run.
 * - @table: by the keys, not finished; not needed afterwards.
 * - @kernel: the weight in kernel mode, by row of the table; NULL: none.
 * - @probes: what each question selects; the same number for every run.
 * - @cells: when the rows of the table and the probes were hit, for events that the table has;
 *   empty if the table has no rows. Taken over and left empty. NULL: unknown.
 * - @wall_ns: 0: unknown.
 * -E2BIG and one line: too many events.
 */
int diff_add(struct diff *diff, enum diff_side side, const struct table *table,
	     const uint64_t *kernel, const struct diff_probe *probes, size_t probe_count,
	     struct cells *cells, uint64_t wall_ns, struct err *err);

/* Sets the text that stands for the profiled command of a side under the key @name. */
void diff_command(struct diff *diff, enum diff_side side, const char *name, const char *text);

/* Tells which executable a program of a side has, a path. See rebuilt_match_executable. */
void diff_executable(struct diff *diff, enum diff_side side, const char *program, const char *exe);

/* Call this after all runs were added: computes all results. Of the rows that count as real by
 * @measure, the expected part that is due to chance is at most @false_discoveries (0..1). */
void diff_finish(struct diff *diff, enum diff_measure measure, double false_discoveries);

/* Appends the text of key number @key of the row. */
void diff_text(const struct diff *diff, const struct diff_row *row, size_t key, struct buf *buf);
/* The same, borrowed; code without a name as in the symbol table, "a->b". */
const char *diff_symbol(const struct diff *diff, const struct diff_row *row, size_t key);

#endif
