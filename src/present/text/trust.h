/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The head of every text report: what a reader must know to trust it. How much was sampled and how,
 * what was lost, what has no name, what prospect itself cost, whether the account of time closes,
 * and what could not be seen.
 */
#ifndef PRESENT_TEXT_TRUST_H
#define PRESENT_TEXT_TRUST_H

#include <stdio.h>

#include "present/view.h"

/* Returns how many lines were printed. At VIEW_SCREEN it says less. */
size_t trust_print(const struct view *view, FILE *out);

#endif
