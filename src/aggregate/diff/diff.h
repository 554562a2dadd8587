/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two sides of one or several runs each, row by row: what changed, by how much, and how surely.
 * Rows are found again on the other side by their texts, see aggregate/diff/rebuilt_match.h.
 *
 * With one run a side, how unevenly samples fall is found by comparing stretches of the two runs in
 * which the same part of all work was done (aggregate/diff/cells.h). That does not tell how much runs
 * differ; several runs do (aggregate/diff/spread.h). See aggregate/diff/change.h.
 */
#ifndef AGGREGATE_DIFF_DIFF_H
#define AGGREGATE_DIFF_DIFF_H

#include "aggregate/diff/cells.h"
#include "aggregate/diff/change.h"
#include "aggregate/diff/rebuilt_match.h"
#include "aggregate/tables/table.h"

enum diff_measure {
	DIFF_SHARE, /* of the weight of the event within the selection, 0..1 */
	DIFF_TIME,  /* the weight of a run, in the event's unit */
	DIFF_RATE,  /* that per second of the run's wall time */
	DIFF_MEASURES,
};

enum diff_verdict {
	DIFF_WITHIN_NOISE,
	DIFF_MORE,
	DIFF_LESS,
	DIFF_APPEARED, /* there was nothing on the old side */
	DIFF_GONE,
	DIFF_VERDICTS,
};

/* "noise", "more" ... as CSV and JSON have it. */
const char *diff_verdict_name(enum diff_verdict verdict);
/* "share", "time", "rate". */
const char *diff_measure_name(enum diff_measure measure);

struct diff_event {
	str_id name, unit; /* in diff.strings */
	bool is_time;	   /* the unit is ns */
	bool is_exact;	   /* measured, not sampled */
	bool is_compared;  /* every run has samples of it */
	uint64_t samples[DIFF_SIDES];
	struct change by[DIFF_MEASURES]; /* of everything; DIFF_SHARE means nothing */
	size_t rows, tested, noise;	 /* how many there are; before diff_cut */
	/* A change of diff.measure that would have been found in any row that was tested, 19 times
	 * in 20, while the others do not change; NaN: none was tested. */
	double detectable;
};

struct diff_row {
	size_t texts; /* its first in diff.texts, one for each key */
	uint8_t event;
	uint64_t samples[DIFF_SIDES]; /* of all runs */
	double weight, kernel;	      /* of all runs; that in kernel mode */
	struct change by[DIFF_MEASURES];
	/* The least part of false discoveries among all rows called real at which this is one of
	 * them; NaN: too few samples to tell anything. */
	double q_by[DIFF_MEASURES];
	double q; /* of diff.measure */
	/* Of diff.measure: a change that would have been found, as in diff_event; of a probe: when
	 * asked for alone. NaN: too few samples. */
	double detectable;
	enum diff_verdict verdict;
};

/* Several --by keys' rows that a question is about; see diff_add. */
struct diff_probe {
	struct hits hits[PROFILE_MAX_EVENTS];
	uint64_t kernel[PROFILE_MAX_EVENTS]; /* the weight in kernel mode */
};

struct diff_run;

/* To be looked at only. */
struct diff {
	struct key_list keys;
	struct rebuilt_match matches[KEYS_MAX]; /* by key; texts are in these */
	struct strpool strings;
	VEC(struct diff_event) events;
	VEC(struct diff_row) rows;   /* after diff_finish: sorted by event, then effect */
	VEC(struct diff_row) probes; /* about main_event; their q is their p */
	VEC(str_id) texts;
	VEC(struct diff_run) runs; /* private */
	size_t run_count[DIFF_SIDES];
	uint8_t main_event;	   /* the first that counts time, else the first */
	enum diff_measure measure; /* what rows are judged by */
	double limit;		   /* of false discoveries */
};

/* The probability of finding a change of the size that is called detectable. */
extern const double diff_found;

/* @exact: texts are compared as they are. */
struct diff *diff_new(const struct key_list *keys, bool exact);
void diff_free(struct diff *diff); /* NULL is fine */
DEFINE_CLEANUP(struct diff *, diff_free);

/* The numbers that cells have: of the part of a probe that is of an event; and of a row of the
 * table, where there are so many probes. */
uint32_t diff_probe_cell(size_t probe, uint8_t event);
uint32_t diff_row_cell(size_t probe_count, size_t row);

/*
 * Adds a run. @table: by the keys, not finished; nothing of it is needed afterwards. @kernel: the
 * weight in kernel mode, by row of the table; NULL: nothing of it. @probes: what
 * was found of each question, as many for every run. @cells: when the rows of the table, and the
 * probes, were hit, all of events that the table has: without rows there are none; taken over and
 * left empty; NULL: not known. @wall_ns: 0: not known.
 * -E2BIG and one line: there are too many events.
 */
int diff_add(struct diff *diff, enum diff_side side, const struct table *table,
	     const uint64_t *kernel, const struct diff_probe *probes, size_t probe_count,
	     struct cells *cells, uint64_t wall_ns, struct err *err);

/* Tells what stands for the profiled command of a side where the key is @name. */
void diff_command(struct diff *diff, enum diff_side side, const char *name, const char *text);

/* Works everything out when all runs are there. Of the rows that are called real by @measure, no
 * more than the part @false_discoveries (0..1) is expected to be so by chance. */
void diff_finish(struct diff *diff, enum diff_measure measure, double false_discoveries);

/* Appends the text of key number @key of the row. */
void diff_text(const struct diff *diff, const struct diff_row *row, size_t key, struct buf *buf);

#endif
