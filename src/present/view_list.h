/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the views for SQL, for people. */
#ifndef PRESENT_VIEW_LIST_H
#define PRESENT_VIEW_LIST_H

#include <stddef.h>
#include <stdio.h>

/* Prints a view: the meaning of its rows, and its columns, in lines of 80 characters. */
void view_list_add(const char *name, const char *summary, const char *const *columns, size_t count,
		   FILE *out);

#endif
