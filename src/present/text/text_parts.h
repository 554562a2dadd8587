/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a text report, in the words of the Prospect paper. */
#ifndef PRESENT_TEXT_TEXT_PARTS_H
#define PRESENT_TEXT_TEXT_PARTS_H

#include <stdio.h>

#include "present/view.h"

/* "Statistics of Run": facts about prospect itself. */
void text_parts_statistics(const struct view *view, FILE *out);
/* "Extrapolated Summary of Processes". */
void text_parts_summary(const struct view *view, FILE *out);
/* "Details of Processes": the USER and KERNEL profiles of each process that view->level selects. */
void text_parts_details(const struct view *view, FILE *out);
/* "Global KERNEL Profile": all kernel samples, and idle time. */
void text_parts_kernel(const struct view *view, FILE *out);

/* A heading after an empty line, underlined (bold if colour is wanted). */
void text_parts_heading(const struct view *view, const char *title, FILE *out);

#endif
