/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/dropped_lines.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "model/profile.h"
#include "place/jit/jit.h"
#include "place/jit/jit_line_keeper.h"

void dropped_lines_tell(struct profile *profile, const struct jit *jit)
{
	size_t dropped = jit ? jit_line_counts(jit).dropped : 0;
	char **text = &profile->run.not_visible;
	char *before = *text;

	if (!dropped)
		return;
	*text = xasprintf(
		"%s%ssource lines of JIT code: at most %d are kept, and %zu more were needed",
		before ? before : "", before && *before ? "\n" : "", JIT_LINE_KEEPER_MOST, dropped);
	free(before);
}
