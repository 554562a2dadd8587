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

/* Appends "2 CPUs", or which of the machine's CPUs were sampled: "2 CPUs (0-1)". */
void text_parts_add_cpus(const struct run_facts *run, struct buf *text);

/* "Incomplete Stacks": where they end, and why. Nothing if no stacks were recorded or all are
 * complete. */
void text_parts_stacks(const struct view *view, FILE *out);
/* Appends why a program's stacks are incomplete, and the fix if there is one: "java: 12 of 40
 * stacks end in ...; fix: ...". */
void text_parts_add_remedy(const struct view *view, const struct remedy *remedy, struct buf *text);

/* "Where the command waited" (or threads): the account of threads' time, and the longest waits.
 * Nothing if the profile has no times of threads. @rows: most rows of the table of waits. */
void text_off_cpu_print(const struct view *view, size_t rows, FILE *out);

/* The report as one screen: how long the command took and waited, what else ran, the functions that
 * took most, the programs, what would change the reader's mind, and what to type next. Fits into
 * view->screen.lines, with one line left for the prompt, unless there is too much of all else: a few functions
 * are always shown. Instructions and waits, if wanted, come on top of that. */
void text_screen_print(const struct view *view, FILE *out);
/* The lines of it that come before a table: all but the functions, the programs and the hints. */
void text_screen_print_head(const struct view *view, FILE *out);

#endif
