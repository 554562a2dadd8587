/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --columns as text: two columns for each class, samples and percent. */
#ifndef PRESENT_TEXT_TEXT_CLASSES_H
#define PRESENT_TEXT_TEXT_CLASSES_H

#include <stdio.h>

#include "aggregate/tables/classes.h"
#include "present/view.h"

/* Prints the head and a table, of each event unless events are the classes. If a line has no room
 * for all classes, shows the heaviest and adds up the others. Names are made safe; those too long
 * for a title are listed above the table. Write errors are left in @out for ferror(). */
void text_classes_print(const struct view *view, const struct classes *classes, FILE *out);

#endif
