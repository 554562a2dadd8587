/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/selected_stacks.h"

#include "aggregate/trees/children.h"
#include "load/diff_command.h"

static void take(void *context, const struct point *points, size_t count)
{
	table_add_all(context, points, count);
}

static void take_command(void *context, const struct point *points, size_t count)
{
	struct table *stacks = context;

	diff_command_each(stacks->labels->profile, points, count, take, stacks);
}

int selected_stacks(struct opened *opened, const struct key_list *keys, bool command_only,
		    struct table **ret_stacks, struct err *err)
{
	struct key_list of_stacks = children_stack_keys(keys);
	unsigned fields = keys_use(&of_stacks) | (command_only ? SAMPLE_TASK : 0);

	*ret_stacks = table_new(&opened->labels, &of_stacks);
	return opened_visit(opened, fields, command_only ? take_command : take, *ret_stacks, err);
}
