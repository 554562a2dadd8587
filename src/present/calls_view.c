/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/calls_view.h"

static bool has_entry(const struct calls_view *view, uint32_t function)
{
	const struct calls *calls = view->calls;
	const struct call_function *row = &calls->functions.items[function];

	if (view->focus && (calls_is_cycle(calls, function) || !view->focus[function]))
		return false;
	return tree_percent(calls->tree, row->total.weight) >= view->threshold;
}

uint32_t *calls_view_entries(const struct calls_view *view, size_t *ret_count)
{
	size_t count, kept = 0;
	uint32_t *order = calls_order(view->calls, &count);

	for (size_t i = 0; i < count && (!view->limit || kept < view->limit); i++) {
		if (has_entry(view, order[i]))
			order[kept++] = order[i];
	}
	*ret_count = kept;
	return order;
}
