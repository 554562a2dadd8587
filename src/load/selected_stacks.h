/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was selected of a profile, by stack: what trees, flame graphs and call graphs are made of.
 */
#ifndef LOAD_SELECTED_STACKS_H
#define LOAD_SELECTED_STACKS_H

#include <stdbool.h>

#include "aggregate/tables/table.h"
#include "load/opened.h"

/* The table by children_stack_keys(@keys) of what was selected, with @command_only of that in the
 * profiled command and its children. The caller frees *ret_stacks, also after an error; those are
 * of opened_visit. */
int selected_stacks(struct opened *opened, const struct key_list *keys, bool command_only,
		    struct table **ret_stacks, struct err *err);

#endif
