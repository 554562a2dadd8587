/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The head of every text report, with what a reader must know to trust it: how much was sampled and
 * how, what was lost, what has no name, what prospect itself cost, whether the account of time adds
 * up, and what was not visible.
 */
#ifndef PRESENT_TEXT_TRUST_H
#define PRESENT_TEXT_TRUST_H

#include <stdio.h>

#include "present/view.h"

/* Returns the number of printed lines. At VIEW_SCREEN the head is shorter. */
size_t trust_print(const struct view *view, FILE *out);

#endif
