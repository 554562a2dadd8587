/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Where the command waited": the account of threads' time, and the waits that make most of it. */
#ifndef PRESENT_TEXT_TEXT_WAITING_H
#define PRESENT_TEXT_TEXT_WAITING_H

#include "present/view.h"

/* Prints nothing when the profile has no times of threads. @rows: of the table of waits, at most.
 */
void text_waiting_print(const struct view *view, size_t rows, FILE *out);

#endif
