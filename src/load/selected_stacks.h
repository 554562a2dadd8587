/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The selection of a profile by stack, for trees, flame graphs and call graphs. */
#ifndef LOAD_SELECTED_STACKS_H
#define LOAD_SELECTED_STACKS_H

#include <stdbool.h>

#include "aggregate/tables/table.h"
#include "load/opened.h"

/* Makes the table by children_stack_keys(@keys) of the selection, with @command_only limited to the
 * profiled command and its children. Errors as opened_visit. The caller frees *ret_stacks, also
 * after an error. */
int selected_stacks(struct opened *opened, const struct key_list *keys, bool command_only,
		    struct table **ret_stacks, struct err *err);

#endif
