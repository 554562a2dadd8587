/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of the room: what this machine lets this user see, and whether a recording made here is
 * right.
 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "model/check.h"
#include "model/stack_check.h"

/*
 * What this machine lets this user see: one point after the other, each with what is missing and
 * the one command that mends it. Everything is tried, not guessed from settings.
 */

/* Looks at everything; returns how many points there are. */
size_t check_points_look(struct check_point ret_points[CHECK_MAX_POINTS]);

/*
 * A program with known truths, and the proof that a recording of it finds them on this machine:
 * each part runs in a process of its own, measures with its own CPU clock what it does, and the
 * recorded samples must agree within an interval that holds for all comparisons together with
 * 99.99 %.
 */

/* The program: runs its parts one after the other and writes the truths to the file @path, a line
 * each: part, key, name, nanoseconds of CPU time. Returns 0 or a negative errno. */
int calibration_program(const char *path, struct err *err);

/* Records @program (this very executable) with @argv telling it to run calibration_program, and
 * compares.
 * @rate_hz of the recording. The caller frees with calibration_done. */
int calibration_run(char *const *argv, const char *truth_path, double rate_hz,
		    struct calibration *ret_calibration, struct err *err);
void calibration_done(struct calibration *calibration);

/* What `prospect check` found, for a person and for a program. */

void check_report_text(const struct check_report *report, FILE *out);
/* {points: [{name, state, text, mend}], interrupt_cost_ns {median, low, high} or null, calibration
 * {samples, right, results: [...]} or null, error or null, right}; see prospect-check(1). */
void check_report_json(const struct check_report *report, FILE *out);

/*
 * Compares stacks while they are recorded: as the interrupt found them, and as libdwfl does from
 * the registers and the copy of the stack that came with the same sample.
 */

/* Records the command (NULL-terminated) and compares at most @most of its and the machine's
 * stacks; *ret_counts is the caller's: stack_check_counts_done. -ENOTSUP and why, when stacks are
 * not walked in the interrupt here. */
int stack_check_run(char *const *argv, double rate_hz, uint64_t most,
		    struct stack_check_counts *ret_counts, struct err *err);

/* What `prospect check --stacks` found, for a person and for a program. */

void stack_check_report_text(const struct stack_check_counts *counts, FILE *out);
/* {samples, complete, frames, verdicts: {equal, longer ...}, examples: [...]}; see
 * prospect-check(1). */
void stack_check_report_json(const struct stack_check_counts *counts, FILE *out);

#endif
