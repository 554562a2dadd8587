/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/tables/python_shares.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/account/unnamed.h"
#include "base/compare.h"
#include "base/file.h"
#include "base/xalloc.h"

static const char prefix[] = UNNAMED_PYTHON_FUNCTION;

static bool is_function(const char *name)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

void python_shares_add_name(const char *name, struct buf *text)
{
	const char *file = is_function(name) ? strrchr(name, ':') : NULL;

	if (!file || file < name + strlen(prefix)) {
		buf_add_str(text, name);
		return;
	}
	buf_add(text, name + strlen(prefix), (size_t)(file - name) - strlen(prefix));
	buf_printf(text, " (%s)", file_base(file + 1));
}

/* By stack: the name of the innermost Python function; 0: none. Callers have lower numbers than what they
 * call. The caller frees it. */
static str_id *find_names(const struct profile *profile)
{
	str_id *names = xcalloc(profile->stacks.count, sizeof(*names));

	for (size_t i = 1; i < profile->stacks.count; i++) {
		const struct stack_node *stack = &profile->stacks.items[i];
		str_id name =
			profile->symbols.items[profile->frames.items[stack->frame].symbol].name;

		names[i] = is_function(profile_text(profile, name)) ? name : names[stack->parent];
	}
	return names;
}

DEFINE_ORDER(heavier, struct python_share,
	     COMPARE(b->hits.weight, a->hits.weight) ?: COMPARE(a->name, b->name))

void python_shares_make(const struct profile *profile, const struct total *totals, size_t count,
			uint8_t event, struct python_shares *ret_shares)
{
	struct python_shares shares = { 0 };
	str_id *names = find_names(profile);
	/* By str_id: number of the row + 1; 0: none yet. */
	uint32_t *row_of = xcalloc(strpool_count(&profile->strings) + 1, sizeof(*row_of));

	for (size_t i = 0; i < count; i++) {
		const struct hits hits = { totals[i].samples, totals[i].weight };
		str_id name = names[totals[i].stack];

		if (totals[i].event != event || !name)
			continue;
		if (!row_of[name]) {
			*vec_push(&shares.rows) = (struct python_share){ .name = name };
			row_of[name] = (uint32_t)shares.rows.count;
		}
		hits_add(&shares.rows.items[row_of[name] - 1].hits, &hits);
	}
	free(row_of);
	free(names);
	if (shares.rows.count)
		qsort(shares.rows.items, shares.rows.count, sizeof(*shares.rows.items), heavier);
	*ret_shares = shares;
}

void python_shares_done(struct python_shares *shares)
{
	vec_free(&shares->rows);
}
