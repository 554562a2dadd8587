/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as one screen: the head, the top processes, the top functions of all processes, and
 * what to type next. */
#ifndef PRESENT_TEXT_TEXT_SCREEN_H
#define PRESENT_TEXT_TEXT_SCREEN_H

#include <stdio.h>

#include "present/view.h"

/* Fits into view->lines, with one line left for the prompt, unless the head alone is longer: both
 * tables then still have a few rows. Instructions and waits, if wanted, come on top of that. */
void text_screen_print(const struct view *view, FILE *out);

#endif
