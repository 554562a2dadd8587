/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call graph as gprof and q-view print it: a flat profile; for each function its callers, itself
 * with its number, and its callees; and an index. Unknown values are "-".
 */
#ifndef PRESENT_TEXT_TEXT_CALLS_H
#define PRESENT_TEXT_TEXT_CALLS_H

#include <stdio.h>

#include "present/calls_view.h"

/* Write errors are left in @out for ferror(). */
void text_calls_print(const struct calls_view *view, FILE *out);

#endif
