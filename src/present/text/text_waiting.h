/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Where the command waited" (or threads): the account of threads' time, and the longest waits. */
#ifndef PRESENT_TEXT_TEXT_WAITING_H
#define PRESENT_TEXT_TEXT_WAITING_H

#include "present/view.h"

/* Prints nothing if the profile has no times of threads. @rows: most rows of the table of waits. */
void text_waiting_print(const struct view *view, size_t rows, FILE *out);

#endif
