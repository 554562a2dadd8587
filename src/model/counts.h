/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was counted: events by rows, a row for the whole or for each CPU, program, process or
 * thread. A count comes with the time it was asked for and the time it was really counted: where
 * there are more events than counters the kernel lets them take turns.
 */
#ifndef MODEL_COUNTS_H
#define MODEL_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/vec.h"

enum {
	COUNTS_MAX_EVENTS = 32,
	COUNTS_NAME = 192,
	COUNTS_PATH = 256,
	COUNTS_COMM = 16,
	COUNTS_WHY = 256,
};

/* Why there is no number: enum, word, and the words of a person. */
#define COUNT_STATES(X)                         \
	X(COUNT_GOOD, "counted")                \
	X(COUNT_NOT_SUPPORTED, "not supported") \
	X(COUNT_NOT_PERMITTED, "not permitted") \
	X(COUNT_NOT_COUNTED, "not counted")

#define COUNT_STATE_ENUM(name, word) name,
enum count_state { COUNT_STATES(COUNT_STATE_ENUM) };
#undef COUNT_STATE_ENUM

struct count_event {
	char name[COUNTS_NAME];	 /* as asked for; ":u" is added where only that is permitted */
	char plain[COUNTS_NAME]; /* without modifiers, as the tables of events have it */
	bool counts_ns, hardware;
	/* Is it counted in both modes? Ratios are of such events, or of two alike. */
	bool user, kernel;
	enum count_state state;
	char why[COUNTS_WHY]; /* of a state that is not good, or what is left out; "" */
	double scale;	      /* 0: none; else count x scale is in @unit */
	char unit[16];
	unsigned group; /* 0: none */
};

struct count_value {
	uint64_t count;
	uint64_t enabled_ns, running_ns; /* wanted, and really counted */
};

/* What a row is about; what it is not about is -1 or "". */
struct count_key {
	char program[COUNTS_PATH]; /* as it was given to exec */
	char comm[COUNTS_COMM];
	int32_t cpu, pid, tid;
};

struct count_row {
	struct count_key key;
	uint64_t order; /* rows are shown by it, the least first */
	uint64_t runs;	/* how often the program was executed; 0: not known */
	struct count_value values[COUNTS_MAX_EVENTS];
};

struct counts {
	struct count_event events[COUNTS_MAX_EVENTS];
	size_t event_count;
	VEC(struct count_row) rows;
	uint64_t wall_ns;  /* how long was counted */
	uint64_t ended_ns; /* since the start of counting: when this interval ended */
	bool complete;	   /* false: some were too many for the table, and are together in a row */
};

/* The word of a state. */
const char *counts_state_word(enum count_state state);

/* That of the event, or COUNT_NOT_COUNTED where it never got a counter. */
enum count_state counts_value_state(const struct count_event *event,
				    const struct count_value *value);
/* What would have been counted in all the time that was wanted. */
double counts_scaled(const struct count_value *value);
/* 0..100; 100 where no time was wanted. */
double counts_percent_counted(const struct count_value *value);

void counts_add_value(struct count_value *sum, const struct count_value *value);
/* All rows together, with the key of a whole. */
struct count_row counts_total(const struct counts *counts);
/* A new row with everything at nothing, borrowed until the next. */
struct count_row *counts_add_row(struct counts *counts);

/* Orders rows by key; two rows are about the same thing when it is 0. */
int counts_compare_keys(const struct count_key *a, const struct count_key *b);
/* Takes from each row of @counts what @before (the same events, earlier) had in it. Rows of
 * programs, processes and threads to which nothing was added are left out: many have ended. The
 * order of the rows stays. */
void counts_subtract(struct counts *counts, const struct counts *before);
/* Rows by their order. */
void counts_sort(struct counts *counts);
/* Gives rows the order of what was counted of the first event that could be, the most first, and
 * sorts them by it; what is the same is sorted by key. */
void counts_sort_by_count(struct counts *counts);
struct counts *counts_copy(const struct counts *counts);
/* Frees the rows; it may be used again. */
void counts_done(struct counts *counts);
void counts_free(struct counts *counts); /* NULL is fine */
DEFINE_CLEANUP(struct counts *, counts_free);

#endif
