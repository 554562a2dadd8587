/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Stacks that are not complete": where they end, and why. */
#ifndef PRESENT_TEXT_TEXT_STACKS_H
#define PRESENT_TEXT_TEXT_STACKS_H

#include <stdio.h>

#include "present/view.h"

/* Prints nothing when no stacks were recorded or all of them are complete. */
void text_stacks_print(const struct view *view, FILE *out);

/* Appends what is known of a program's stacks: "java: 12 of 40 stacks end in ...; fix: ...
 * it". */
void text_stacks_add_remedy(const struct view *view, const struct remedy *remedy, struct buf *text);

#endif
