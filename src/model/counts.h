/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of events by rows: one row for everything, or one for each CPU, program, process or
 * thread. A count comes with the time it was requested for and the time it was really counted: if
 * there are more events than hardware counters, the kernel lets them take turns.
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
	COUNTS_WHY = 512,
};

/* Why there is no number: enum, word, both for people and for programs. */
#define COUNT_STATES(X)                         \
	X(COUNT_GOOD, "counted")                \
	X(COUNT_NOT_SUPPORTED, "not supported") \
	X(COUNT_NOT_PERMITTED, "not permitted") \
	X(COUNT_NOT_COUNTED, "not counted")

#define COUNT_STATE_ENUM(name, word) name,
enum count_state { COUNT_STATES(COUNT_STATE_ENUM) };

struct count_event {
	char name[COUNTS_NAME];	 /* as requested; ":u" is added if only that is permitted */
	char plain[COUNTS_NAME]; /* without modifiers, as in the tables of events */
	bool counts_ns, hardware;
	/* Which modes it counts. A ratio takes two events with the same modes. */
	bool user, kernel;
	enum count_state state;
	char why[COUNTS_WHY]; /* reason for a state that is not good, or what is left out; "" */
	double scale;	      /* 0: none; else count x scale is in @unit */
	char unit[16];
	unsigned group; /* 0: none */
};

struct count_value {
	uint64_t count;
	uint64_t enabled_ns, running_ns; /* requested, and really counted */
};

/* What a row is about; fields that do not apply are -1 or "". */
struct count_key {
	char program[COUNTS_PATH]; /* as given to exec */
	char comm[COUNTS_COMM];
	int32_t cpu, pid, tid;
};

struct count_row {
	struct count_key key;
	uint64_t order; /* rows are shown in ascending order of it */
	uint64_t runs;	/* number of executions of the program; 0: not known */
	struct count_value values[COUNTS_MAX_EVENTS];
};

struct counts {
	struct count_event events[COUNTS_MAX_EVENTS];
	size_t event_count;
	VEC(struct count_row) rows;
	uint64_t wall_ns;  /* length of the counting */
	uint64_t ended_ns; /* end of this interval, since the start of counting */
	bool complete;	   /* false: the table was full, and one row holds the rest */
};

/* The word of a state. */
const char *counts_state_word(enum count_state state);

/* The event's state, or COUNT_NOT_COUNTED if it never got a counter. */
enum count_state counts_value_state(const struct count_event *event,
				    const struct count_value *value);
/* The count extrapolated to all of the requested time. */
double counts_scaled(const struct count_value *value);
/* 0..100; 100 if no time was requested. */
double counts_percent_counted(const struct count_value *value);

void counts_add_value(struct count_value *sum, const struct count_value *value);
/* The sum of all rows, with the key of the whole. */
struct count_row counts_total(const struct counts *counts);
/* Appends a row of zeros, borrowed until the next is added. */
struct count_row *counts_add_row(struct counts *counts);

/* Orders rows by key; 0: both are about the same thing. */
int counts_compare_keys(const struct count_key *a, const struct count_key *b);
/* Subtracts from each row of @counts its values in @before (the same events, earlier). Leaves out
 * rows of programs, processes and threads that did not change: many have ended. Keeps the order of
 * the rows. */
void counts_subtract(struct counts *counts, const struct counts *before);
/* Sorts rows by their order. */
void counts_sort(struct counts *counts);
/* Sorts rows by the counts of the first event that could be counted, highest first, and sets their
 * order to match. Equal counts are sorted by key. */
void counts_sort_by_count(struct counts *counts);
struct counts *counts_copy(const struct counts *counts);
/* Frees the rows; the struct may be used again. */
void counts_done(struct counts *counts);
void counts_free(struct counts *counts); /* NULL is fine */
DEFINE_CLEANUP(struct counts *, counts_free);

#endif
