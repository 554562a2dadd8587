/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hierarchy of rows as text. */
#ifndef PRESENT_TEXT_TEXT_HIERARCHY_H
#define PRESENT_TEXT_TEXT_HIERARCHY_H

#include <stdio.h>

#include "aggregate/tables/hierarchy.h"
#include "present/view.h"

/* Prints the head, unless view->bare, and the rows, each indented below the row that it is part of.
 * Names are made safe for terminals. Write errors are left in @out for ferror(). */
void text_hierarchy_print(const struct view *view, const struct hierarchy *hierarchy, FILE *out);

#endif
