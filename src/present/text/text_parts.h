/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a text report, with the words of the Prospect paper. */
#ifndef PRESENT_TEXT_TEXT_PARTS_H
#define PRESENT_TEXT_TEXT_PARTS_H

#include <stdio.h>

#include "present/view.h"

/* "Statistics of Run": about prospect itself. */
void text_parts_statistics(const struct view *view, FILE *out);
/* "Extrapolated Summary of Processes". */
void text_parts_summary(const struct view *view, FILE *out);
/* "Details of Processes": the USER and KERNEL profiles of each process that view->level asks for.
 */
void text_parts_details(const struct view *view, FILE *out);
/* "Global KERNEL Profile": everything the kernel did, and idle time. */
void text_parts_kernel(const struct view *view, FILE *out);

/* A line of its own, underlined (bold where colour is wanted), with an empty one before it. */
void text_parts_heading(const struct view *view, const char *title, FILE *out);

#endif
