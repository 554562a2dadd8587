/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What SQL can be asked of a profile, for people who are about to. */
#ifndef PRESENT_VIEW_LIST_H
#define PRESENT_VIEW_LIST_H

#include <stddef.h>
#include <stdio.h>

/* Prints a view: what its rows are, and its columns, in lines of 80. */
void view_list_add(const char *name, const char *summary, const char *const *columns, size_t count,
		   FILE *out);

#endif
