/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program with known truths, and the proof that a recording of it finds them on this machine:
 * each part runs in a process of its own, measures with its own CPU clock what it does, and the
 * recorded samples must agree within an interval that holds for all comparisons together with 99.99
 * %.
 */
#ifndef PIPELINE_CALIBRATION_H
#define PIPELINE_CALIBRATION_H

#include "base/err.h"
#include "model/check.h"

/* The program: runs its parts one after the other and writes the truths to the file @path, a line
 * each: part, key, name, nanoseconds of CPU time. Returns 0 or a negative errno. */
int calibration_program(const char *path, struct err *err);

/* Records @program (this very executable) with @argv telling it to run calibration_program, and
 * compares.
 * @rate_hz of the recording. The caller frees with calibration_done. */
int calibration_run(char *const *argv, const char *truth_path, double rate_hz,
		    struct calibration *ret_calibration, struct err *err);
void calibration_done(struct calibration *calibration);

#endif
