/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `prospect check --stacks` found, for a person and for a program. */
#ifndef PRESENT_STACK_CHECK_REPORT_H
#define PRESENT_STACK_CHECK_REPORT_H

#include <stdio.h>

#include "model/stack_check.h"

void stack_check_report_text(const struct stack_check_counts *counts, FILE *out);
/* {samples, complete, frames, verdicts: {equal, longer ...}, examples: [...]}; see
 * prospect-check(1). */
void stack_check_report_json(const struct stack_check_counts *counts, FILE *out);

#endif
