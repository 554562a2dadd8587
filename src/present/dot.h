/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call graph as a picture, in the language of Graphviz, for dot(1). */
#ifndef PRESENT_DOT_H
#define PRESENT_DOT_H

#include <stdio.h>

#include "present/calls_view.h"

/* A node for each function of the view: its text is larger the more samples hit the function
 * itself, and its colour redder the more it took with its callees. An arrow for each call between
 * two of them, as wide as its share. Any name is quoted safely. Write errors are left in @out for
 * ferror(). */
void dot_print(const struct calls_view *view, FILE *out);

#endif
