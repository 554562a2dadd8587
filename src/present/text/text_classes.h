/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --columns as text: a pair of figures, samples and percent, for each class. */
#ifndef PRESENT_TEXT_TEXT_CLASSES_H
#define PRESENT_TEXT_TEXT_CLASSES_H

#include <stdio.h>

#include "aggregate/tables/classes.h"
#include "present/view.h"

/* The head and the table, of each event unless events are the classes. Where there are more classes
 * than a line has room for, the heaviest are shown and the others added up. Names are made safe;
 * those that are too long for a title stand above the table. Write errors are left in @out for
 * ferror(). */
void text_classes_print(const struct view *view, const struct classes *classes, FILE *out);

#endif
