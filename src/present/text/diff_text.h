/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A diff as text. Names are made safe for terminals. Write errors are left in @out for ferror(). */
#ifndef PRESENT_TEXT_DIFF_TEXT_H
#define PRESENT_TEXT_DIFF_TEXT_H

#include <stdio.h>

#include "present/diff_view.h"

/* Prints what was compared, the table of each event, what was left out, and the results of
 * --fail-if. */
void diff_text_print(const struct diff_view *view, FILE *out);

#endif
