/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Incomplete Stacks": where they end, and why. */
#ifndef PRESENT_TEXT_TEXT_STACKS_H
#define PRESENT_TEXT_TEXT_STACKS_H

#include <stdio.h>

#include "present/view.h"

/* Prints nothing if no stacks were recorded or all are complete. */
void text_stacks_print(const struct view *view, FILE *out);

/* Appends why a program's stacks are incomplete, and the fix if there is one: "java: 12 of 40
 * stacks end in ...; fix: ...". */
void text_stacks_add_remedy(const struct view *view, const struct remedy *remedy, struct buf *text);

#endif
