/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of the room: what this machine lets this user see, and whether a recording made here is
 * correct.
 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "model/check.h"

/*
 * What this machine lets this user see: a list of points, each with what is missing and the one
 * command that fixes it. Each point is tried, not guessed from settings.
 */

/* Fills all points and returns their number. */
size_t check_points_look(struct check_point ret_points[CHECK_MAX_POINTS]);

struct check_fix {
	char command[12288]; /* for a shell */
	char gain[128];	     /* what it enables */
};

/* The one command that lets this user see more; false: there is none. */
bool check_fix_find(const struct check_point *points, size_t count, struct check_fix *ret_fix);

/*
 * A program with known truths, and the proof that a recording of it finds them on this machine.
 * Each part runs in a process of its own and measures its work with its own CPU clock; its whole
 * time, with its exit, is what the kernel counted. The recorded samples must agree within an
 * interval that holds for all comparisons together with 99.99 %.
 */

/* The program: runs its parts one after the other and writes the truths to the file @path. A line
 * holds part, key, name, and nanoseconds of CPU time. Returns 0 or a negative errno. */
int calibration_program(const char *path, struct err *err);

/* Records @argv (this executable, with arguments that make it run calibration_program) at @rate_hz
 * and compares the result with the truths in @truth_path. The caller frees with
 * calibration_done. */
int calibration_run(char *const *argv, const char *truth_path, double rate_hz,
		    struct calibration *ret_calibration, struct err *err);
void calibration_done(struct calibration *calibration);

/* What `prospect check` found, as text and as JSON. */

void check_report_text(const struct check_report *report, FILE *out);
/* {points: [{name, state, text, fix}], interrupt_cost_ns: {median, low, high} or null,
 * calibration: {samples, lost, right, results: [...]} or null, error: text or null, right}; see
 * prospect-check(1). */
void check_report_json(const struct check_report *report, FILE *out);

/*
 * Compares two walks of each recorded stack: prospect's walk in the interrupt, and libdwfl's from
 * the registers and the stack copy of the same sample.
 */

/* Records the command (NULL-terminated) and compares at most @most user stacks of the command and
 * the machine. The caller frees *ret_counts with stack_check_counts_done. -ENOTSUP with the reason:
 * stacks are not walked in the interrupt here; -ENOENT: libdw is not installed, or too old. */
int stack_check_run(char *const *argv, double rate_hz, uint64_t most,
		    struct stack_check_counts *ret_counts, struct err *err);

/* What `prospect check --stacks` found, as text and as JSON. */

void stack_check_report_text(const struct stack_check_counts *counts, FILE *out);
/* {samples, complete, frames, verdicts: {equal, longer ...}, examples: [...]}; see
 * prospect-check(1). */
void stack_check_report_json(const struct stack_check_counts *counts, FILE *out);

#endif
