/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/select_options.h"

struct selection select_options_of(const struct select_values *values)
{
	return (struct selection){
		.clauses = values->clauses.items,
		.clause_count = values->clauses.count,
		.since = values->since,
		.until = values->until,
		.slice = values->slice,
	};
}
