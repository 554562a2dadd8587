/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as one screen: the head, the top processes, the top routines over everything, and what
 * to type next. */
#ifndef PRESENT_TEXT_TEXT_SCREEN_H
#define PRESENT_TEXT_TEXT_SCREEN_H

#include <stdio.h>

#include "present/view.h"

/* Fits into view->lines, one of them left for the prompt, unless the head alone is longer: both
 * tables then still have a few rows. Instructions come on top of that. */
void text_screen_print(const struct view *view, FILE *out);

#endif
