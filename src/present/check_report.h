/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `prospect check` found, for a person and for a program. */
#ifndef PRESENT_CHECK_REPORT_H
#define PRESENT_CHECK_REPORT_H

#include <stdio.h>

#include "model/check.h"

void check_report_text(const struct check_report *report, FILE *out);
/* {points: [{name, state, text, mend}], interrupt_cost_ns {median, low, high} or null, calibration
 * {samples, right, results: [...]} or null, error or null, right}; see prospect-check(1). */
void check_report_json(const struct check_report *report, FILE *out);

#endif
