/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results of `prospect check`: permissions, the cost of an interrupt, and a calibration. */
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

#define CHECK_STATES(X)       \
	X(OK, "ok")           \
	X(LIMITED, "limited") \
	X(MISSING, "missing")

#define CHECK_ENUM(id, ...) CHECK_##id,
enum check_state { CHECK_STATES(CHECK_ENUM) CHECK_STATE_COUNT };

const char *check_state_name(enum check_state state);

enum { CHECK_MAX_POINTS = 24 };

/* One capability: whether this machine lets this user see something. */
struct check_point {
	const char *name; /* "clock", "permission" ... */
	enum check_state state;
	char text[512]; /* what was found */
	char fix[512];	/* how to fix it; "": nothing to fix, or no fix */
};

/* The cost of one sampling interrupt. */
struct interrupt_cost {
	double ns;		/* median over the pairs of runs */
	double low_ns, high_ns; /* its quartiles */
	uint64_t ticks;		/* samples taken to measure it; 0: a stored figure */
};

/* One known value of the calibration program, compared with the recording. */
struct calibration_result {
	char part[32];
	char what[64]; /* function, mode or program whose share it is; or the CPU time */
	bool is_share; /* percent of the part, else seconds */
	double truth, measured, low, high;
	bool right; /* the truth is within low..high */
};

struct calibration {
	VEC(struct calibration_result) results;
	uint64_t samples, lost;
	bool right; /* all of them */
};

struct check_report {
	struct check_point points[CHECK_MAX_POINTS];
	size_t point_count;
	bool quick; /* neither cost nor calibration was requested */
	bool cost_known;
	struct interrupt_cost cost;
	bool calibrated;
	struct calibration calibration;
	struct err calibration_err; /* why it was not calibrated */
};

/* True if nothing is wrong: the calibration matched its known values. Missing permissions do not
 * count as wrong. */
bool check_report_right(const struct check_report *report);

/* Results of `prospect check --stacks`: live stacks as the interrupt walked them, compared with
 * libdwfl's walk from the same registers and memory. Columns: id, name, what a person reads. */
#define STACK_VERDICTS(X)                                                             \
	X(EQUAL, "equal", "the same frames")                                          \
	X(LONGER, "longer", "the same frames, and callers that libdwfl did not find") \
	X(SHORTER, "shorter", "the same frames, but libdwfl found more callers")      \
	X(DIFFERENT, "different", "other frames")                                     \
	X(UNCHECKED, "unchecked", "libdwfl had no file or no table, or its walk failed")

#define STACK_VERDICT_ENUM(id, ...) STACK_VERDICT_##id,
enum stack_verdict { STACK_VERDICTS(STACK_VERDICT_ENUM) STACK_VERDICT_COUNT };

const char *stack_verdict_name(enum stack_verdict verdict);
const char *stack_verdict_text(enum stack_verdict verdict);

enum { STACK_CHECK_MAX_EXAMPLES = 8 }; /* per verdict */

struct stack_check_counts {
	uint64_t samples; /* number compared; the verdicts add up to it */
	uint64_t verdicts[STACK_VERDICT_COUNT];
	uint64_t complete;    /* of the interrupt's stacks */
	uint64_t frames;      /* found by both */
	VEC(char *) examples; /* of differences, a line each; owned, see stack_check_counts_done */
};

void stack_check_counts_done(struct stack_check_counts *counts);

#endif
