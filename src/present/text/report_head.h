/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The head of reports of more than a screen, with what a reader must know to trust them: how much was
 * sampled and how, what was lost, what has no name, what prospect itself cost, whether the account
 * of time adds up, and what was not visible.
 */
#ifndef PRESENT_TEXT_REPORT_HEAD_H
#define PRESENT_TEXT_REPORT_HEAD_H

#include <stdio.h>

#include "present/view.h"

void report_head_print(const struct view *view, FILE *out);
/* The same as a text, which the caller owns. */
char *report_head_text(const struct view *view);

/* Appends how the command and the recording ended, if that is worth knowing: " (exit status 1)". */
void report_head_add_state(const struct view *view, struct buf *text);

#endif
